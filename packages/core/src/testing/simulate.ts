/**
 * One case of the crash property: a random graph is run to its end undisturbed, then run again with crashes at random
 * records (and at times a drain or a cancel), each time going on in a fresh engine over what was durable; and all that
 * must hold of both runs is checked. Deterministic in its seed.
 */
import { memory } from "../backends/memory.ts";
import type { RunState } from "../state/run-state.ts";
import { Dice } from "./dice.ts";
import { buildRandomGraph, randomSpec, type GraphSpec, type RandomGraph } from "./random-graph.ts";
import { readJournal, type StoredJournal } from "./simulate/journal.ts";
import { live, Playhouse, runId, type Life, type LifeRequest, type Settings } from "./simulate/lives.ts";
import { comparable, differ, faultsOf } from "./simulate/verdict.ts";

export interface Verdict {
  readonly faults: readonly string[];
  readonly graph: RandomGraph;
  readonly journal: StoredJournal | null;
  /** Lives of the disturbed run. */
  readonly lives: readonly Life[];
}

export type Check = (run: RunState) => void;

const noCheck: Check = () => undefined;

export function simulateSeed(seed: number, check: Check = noCheck): Promise<Verdict> {
  return simulateSpec(randomSpec(seed), seed, check);
}

export async function simulateSpec(spec: GraphSpec, seed: number, check: Check = noCheck): Promise<Verdict> {
  const house = new Playhouse();
  const graph = buildRandomGraph(spec, house);
  const settings = settingsOf(new Dice(seed, 2));
  const whole = await play({ graph, house, settings, check }, new Dice(seed, 3), null);
  if (whole.faults.length > 0) return { ...whole, graph, faults: whole.faults.map((fault) => `undisturbed: ${fault}`) };
  const disturbed = await play({ graph, house, settings, check }, new Dice(seed, 4), whole.journal);
  const faults = [...disturbed.faults];
  if (graph.orderFree) compare(whole.lives, disturbed.lives, faults);
  return { ...disturbed, graph, faults };
}

function settingsOf(dice: Dice): Settings {
  const cap = (): number | undefined => (dice.chance(0.3) ? 1 + dice.below(3) : undefined);
  return { durability: dice.chance(0.5) ? "sync" : "async", concurrency: cap(), runConcurrency: cap() };
}

type Fixed = Pick<LifeRequest, "graph" | "house" | "settings" | "check">;
interface Played {
  readonly lives: readonly Life[];
  readonly journal: StoredJournal;
  readonly faults: readonly string[];
}

const mostLives = 4;

/** Lives until one ends well; `known` is the journal of an undisturbed run, null for the undisturbed run itself. */
async function play(fixed: Fixed, dice: Dice, known: StoredJournal | null): Promise<Played> {
  let store = memory();
  const lives: Life[] = [];
  const asks = known !== null && dice.chance(0.12);
  let left = known === null ? 0 : 1 + (dice.chance(0.25) ? 1 : 0);
  for (let i = 0; i < mostLives; i++) {
    const from = lives.at(-1)?.durable ?? 0;
    const crash =
      !(asks && i === 0) && left-- > 0
        ? { seq: from + 1 + dice.below(Math.max(1, (known?.row.lastSeq ?? 0) - from)), commits: dice.chance(0.7) }
        : null;
    const ask =
      asks && i === 0
        ? ({ what: dice.chance(0.8) ? "drain" : "cancel", after: dice.below(known?.row.lastSeq ?? 1) } as const)
        : null;
    const now = 1_700_000_000_000 + i * 1000;
    const life = await live({ ...fixed, store, dice, crash, ask, now, name: `engine${i}` }, i === 0);
    lives.push(life);
    if (life.over) break;
    store = store.another();
  }
  const reading = store.another();
  await reading.open("reader");
  const journal = await readJournal(reading, runId);
  return { lives, journal, faults: faultsOf(fixed.graph.plan, journal, lives, fixed.settings) };
}

/** DESIGN §4, Equality: of an order-free graph, the disturbed run came to what the undisturbed one came to. */
function compare(whole: readonly Life[], disturbed: readonly Life[], faults: string[]): void {
  const due = whole.at(-1)?.end;
  const got = disturbed.at(-1)?.end;
  if (due === undefined || got === undefined || typeof due === "string" || typeof got === "string") return;
  if (got.status === "cancelled") return;
  differ("status, compared with an uninterrupted run", got.status, due.status, faults);
  differ("errors, compared with an uninterrupted run", comparable(got.errors), comparable(due.errors), faults);
  if (got.status === "completed" && due.status === "completed")
    differ("output, compared with an uninterrupted run", got.output, due.output, faults);
}
