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
import { disturb, rehearse, type Rehearsal, type SeedVerdict } from "./world/play-seed.ts";
import { Process } from "./world/process.ts";
import { runnableOf, watchedPlan } from "./world/instrument.ts";
import type { World } from "./world/world.ts";
import type { CaseSettings, Subject } from "./world/subject.ts";

export interface WorkersVerdict extends SeedVerdict {
  readonly graph: RandomGraph;
}

export interface WorkersOptions {
  /** Default: as the graph's number says, of five two have `sync`, two `async`, one `exit`. */
  readonly durability?: Durability;
  readonly check?: (run: RunState) => void;
  /** What every engine is given the store through. */
  readonly wrap?: (store: Backend) => Backend;
}

/** So many cases in a row have one graph, and one uninterrupted run: to build it and to play that costs as much as half a case. */
const casesOfGraph = 4;

/** The number of the graph that the case of that seed has: the seed of its spec. */
export function graphOf(seed: number): number {
  return Math.ceil(seed / casesOfGraph);
}

export function durabilityOf(graph: number): Durability {
  return (["async", "async", "exit", "sync", "sync"] as const)[graph % 5] ?? "sync";
}

/** Plays cases of a graph; remembers the graph of the case before, so that cases in a row are quick. */
export class Workers {
  readonly #options: WorkersOptions;
  #number = NaN;
  #staged: Staged | null = null;

  constructor(options: WorkersOptions = {}) {
    this.#options = options;
  }

  async play(seed: number): Promise<WorkersVerdict> {
    const number = graphOf(seed);
    if (this.#staged === null || this.#number !== number)
      this.#staged = await stage(randomSpec(number), number, this.#options);
    this.#number = number;
    return playStaged(this.#staged, seed);
  }
}

export function simulateWorkers(seed: number, options: WorkersOptions = {}): Promise<WorkersVerdict> {
  return new Workers(options).play(seed);
}

/** The same with a graph of one's own: for cutting a failing case down. */
export async function simulateWorkersOf(
  spec: GraphSpec,
  seed: number,
  options: WorkersOptions = {},
): Promise<WorkersVerdict> {
  return playStaged(await stage(spec, graphOf(seed), options), seed);
}

/** A graph, and what its uninterrupted run came to. */
interface Staged {
  readonly graph: RandomGraph;
  /** With a look at idempotency keys or without. */
  readonly subject: (keys: boolean) => Subject;
  readonly settings: CaseSettings;
  readonly whole: Rehearsal;
}

async function stage(
  spec: GraphSpec,
  number: number,
  { durability = durabilityOf(number), check, wrap = (store) => store }: WorkersOptions,
): Promise<Staged> {
  const dice = new Dice(number, 33);
  const theatre = new Everywhere();
  const graph = buildRandomGraph(durability === "exit" ? { ...spec, safe: true } : spec, theatre);
  const cap = (): number | undefined => (dice.chance(0.3) ? 1 + dice.below(3) : undefined);
  const settings: CaseSettings = {
    seed: number,
    workers: 1,
    runs: dice.chance(0.15) ? 2 : 1,
    durability,
    concurrency: cap(),
    runConcurrency: cap(),
    snapshots: dice.chance(0.2),
    maxRecords: dice.chance(0.04) ? 2 + dice.below(30) : undefined,
    keys: false,
    reads: false,
    check: check ?? null,
  };
  const subject = (keys: boolean): Subject => subjectOf(graph, theatre, keys, wrap);
  return { graph, subject, settings, whole: await rehearse(subject(false), settings) };
}

async function playStaged({ graph, subject, settings, whole }: Staged, seed: number): Promise<WorkersVerdict> {
  const workers = 3 + new Dice(seed, 34).below(2);
  const keys = seed % 8 === 0;
  const reads = seed % 3 === 0;
  const how = { kinds: new Set(faultKinds), surely: true };
  return { ...(await disturb(subject(keys), { ...settings, seed, workers, keys, reads }, how, whole)), graph };
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

function subjectOf(graph: RandomGraph, theatre: Everywhere, keys: boolean, wrap: (store: Backend) => Backend): Subject {
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
