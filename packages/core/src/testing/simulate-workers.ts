/**
 * One case of the property with several workers: a random graph on three or more engines over one store, with everything
 * going wrong that `world/faults.ts` knows. Deterministic in its seed.
 */
import type { Interrupt } from "../events/interrupt.ts";
import type { Durability } from "../runtime/outcome.ts";
import type { RunState } from "../state/run-state.ts";
import type { Backend } from "../ports/backend.ts";
import { Dice } from "./dice.ts";
import { buildRandomGraph, randomSpec, type GraphSpec, type RandomGraph, type Theatre } from "./random-graph.ts";
import { answerTo, verdictOn } from "./random-graph/make-outside.ts";
import { faultKinds } from "./world/faults.ts";
import { playSeed, type SeedVerdict } from "./world/play-seed.ts";
import { Process } from "./world/process.ts";
import { runnableOf, watchedPlan } from "./world/instrument.ts";
import type { World } from "./world/world.ts";
import type { CaseSettings, Subject } from "./world/subject.ts";

export interface WorkersVerdict extends SeedVerdict {
  readonly graph: RandomGraph;
}

export interface WorkersOptions {
  /** Default: as the seed says, of five two have `sync`, two `async`, one `exit`. */
  readonly durability?: Durability;
  readonly check?: (run: RunState) => void;
  /** What every engine is given the store through. */
  readonly wrap?: (store: Backend) => Backend;
}

export function simulateWorkers(seed: number, options: WorkersOptions = {}): Promise<WorkersVerdict> {
  return simulateWorkersOf(randomSpec(seed), seed, options);
}

/** The same with a graph of one's own: for cutting a failing case down. */
export async function simulateWorkersOf(
  spec: GraphSpec,
  seed: number,
  { durability, check, wrap = (store) => store }: WorkersOptions = {},
): Promise<WorkersVerdict> {
  const dice = new Dice(seed, 33);
  const theatre = new Everywhere();
  const isExit = durability === undefined ? seed % 5 === 2 : durability === "exit";
  const graph = buildRandomGraph(isExit ? { ...spec, safe: true } : spec, theatre);
  const cap = (): number | undefined => (dice.chance(0.3) ? 1 + dice.below(3) : undefined);
  const many = { workers: 3 + dice.below(2), runs: dice.chance(0.15) ? 2 : 1 };
  const drawn = dice.chance(0.5) ? "sync" : "async";
  const settings: CaseSettings = {
    seed,
    ...many,
    durability: isExit ? "exit" : (durability ?? drawn),
    concurrency: cap(),
    runConcurrency: cap(),
    keys: seed % 8 === 0,
    reads: seed % 3 === 0,
    check: check ?? null,
  };
  const verdict = await playSeed(subjectOf(graph, theatre, settings, wrap), settings, {
    kinds: new Set(faultKinds),
    surely: true,
  });
  return { ...verdict, graph };
}

/** Bodies let others go first wherever they are watched (`world/instrument.ts`); moods are those of who acts. */
class Everywhere implements Theatre {
  world: World | null = null;

  get mood(): number {
    const acting = this.world?.acting ?? null;
    return acting instanceof Process ? acting.mood : 0;
  }

  enter(): void {
    // Whoever watches the body is told.
  }

  instead(): undefined {
    return undefined;
  }

  wait(): Promise<void> {
    return Promise.resolve();
  }
}

function subjectOf(
  graph: RandomGraph,
  theatre: Everywhere,
  { keys }: CaseSettings,
  wrap: (store: Backend) => Backend,
): Subject {
  const { plan, fickle, orderFree, spec } = graph;
  return {
    plan,
    fickle,
    orderFree,
    input: () => spec.input,
    errors: spec.errors,
    context: undefined,
    answer: (question, luck) => answerOf(graph, question, luck),
    runnable: (process) => {
      theatre.world = process.world;
      return runnableOf(watchedPlan(plan, process.watch(keys)));
    },
    resources: () => [],
    wrap,
  };
}

function answerOf({ plan }: RandomGraph, { path, node }: Interrupt, luck: number): unknown {
  const slot = plan.slots.find(({ name, op }) => name === node && op !== null);
  return slot === undefined ? answerTo(path) : verdictOn(path, slot.stream >= 0, luck);
}
