/**
 * One case of the crash property: a random graph is run to its end undisturbed, then run again with crashes at random
 * records (and at times a drain or a cancel), each time going on in a fresh engine over what was durable; and all that
 * must hold of both runs is checked. Deterministic in its seed.
 */
import { memory, type MemoryBackend } from "../backends/memory.ts";
import type { Durability } from "../runtime/outcome.ts";
import type { RunState } from "../state/run-state.ts";
import { pathAt } from "../state/path.ts";
import type { Backend } from "../ports/backend.ts";
import { Dice } from "./dice.ts";
import { buildRandomGraph, randomSpec, type GraphSpec, type RandomGraph } from "./random-graph.ts";
import { readJournal, type StoredJournal } from "./simulate/journal.ts";
import { live, runId, type Life, type LifeRequest, type Settings } from "./simulate/lives.ts";
import { Playhouse } from "./simulate/playhouse.ts";
import type { Crash } from "./simulate/staged-backend.ts";
import { comparable, differ, faultsOf } from "./simulate/verdict.ts";

export interface Verdict {
  /** Empty when all is right. */
  readonly faults: readonly string[];
  readonly graph: RandomGraph;
  readonly journal: StoredJournal;
  /** Lives of the disturbed run. */
  readonly lives: readonly Life[];
}

export interface SimulateOptions {
  /** Default: as the seed says. */
  readonly durability?: Durability;
  /** Called after every step of every engine; a throw is a fault. */
  readonly check?: (run: RunState) => void;
  /** Crash once, there; default: at random, mostly once. */
  readonly crash?: Crash;
  /** What every engine is given the store through. */
  readonly wrap?: (backend: Backend) => Backend;
}

export function simulateSeed(seed: number, options: SimulateOptions = {}): Promise<Verdict> {
  return simulateSpec(randomSpec(seed), seed, options);
}

/** The same with a graph of one's own: for cutting a failing case down. */
export async function simulateSpec(spec: GraphSpec, seed: number, options: SimulateOptions = {}): Promise<Verdict> {
  return simulateGraph(staged(spec, seed, options), seed, options);
}

/** The same with a graph that was made otherwise, whose bodies play in the house. */
export async function simulateGraph(made: Made, seed: number, options: SimulateOptions = {}): Promise<Verdict> {
  const disturb = await rehearseGraph(made, seed, options);
  return disturb(options.crash);
}

type Made = Pick<LifeRequest, "graph" | "house" | "settings">;
/** Plays the run with a crash at that place or, by default, at random. */
type Disturb = (crash?: Crash) => Promise<Verdict>;

/** Builds the graph and plays its undisturbed run, once for all that disturbs it. */
export function rehearse(seed: number, options: SimulateOptions = {}): Promise<Disturb> {
  return rehearseGraph(staged(randomSpec(seed), seed, options), seed, options);
}

function staged(spec: GraphSpec, seed: number, options: SimulateOptions): Made {
  const house = new Playhouse(seed % 8 === 0);
  const settings = settingsOf(new Dice(seed, 2), options);
  const graph = buildRandomGraph(settings.durability === "exit" ? { ...spec, safe: true } : spec, house);
  return { graph, house, settings };
}

async function rehearseGraph(
  { graph, house, settings }: Made,
  seed: number,
  options: SimulateOptions,
): Promise<Disturb> {
  const fixed = {
    graph,
    house,
    settings,
    check: options.check ?? (() => undefined),
    wrap: options.wrap ?? ((backend: Backend) => backend),
  };
  // Without an order to compare, the interpreter is all there is to agree with, and one run will do.
  const whole = graph.orderFree ? await play(fixed, new Dice(seed, 3), []) : null;
  return async (crash) => {
    if (whole !== null && whole.faults.length > 0)
      return { ...whole, graph, faults: whole.faults.map((fault) => `undisturbed: ${fault}`) };
    const dice = new Dice(seed, 4);
    const records = whole?.journal.row.lastSeq ?? likelyRecords(dice);
    const disturbed = await play(
      fixed,
      dice,
      crash === undefined ? disturbances(dice, records) : [{ crash, ask: null }],
    );
    const faults = [...disturbed.faults];
    if (whole !== null) compare(whole.journal, disturbed.journal, faults);
    return { ...disturbed, graph, faults };
  };
}

/** Most runs are short; one that ends before its crash has had none. */
function likelyRecords(dice: Dice): number {
  return dice.chance(0.7) ? 8 : 40;
}

export function settingsOf(dice: Dice, { durability }: SimulateOptions): Settings {
  const cap = (): number | undefined => (dice.chance(0.3) ? 1 + dice.below(3) : undefined);
  const drawn = dice.chance(0.5) ? "sync" : "async";
  const caps = { concurrency: cap(), runConcurrency: cap() };
  const snapshots = dice.chance(0.3);
  const maxRecords = dice.chance(0.04) ? 2 + dice.below(30) : undefined;
  return { durability: durability ?? drawn, ...caps, snapshots, maxRecords };
}

/** What happens to one life. */
export type Disturbance = Pick<LifeRequest, "crash" | "ask">;

/** Of a run of about so many records: a crash or two, or a drain or cancel and a crash after that. */
function disturbances(dice: Dice, records: number): Disturbance[] {
  const first = crashWithin(dice, 1, records);
  if (dice.chance(0.06)) return [first, ...Array.from({ length: 2 + dice.below(2) }, () => atOnce)];
  const second = dice.chance(0.25) ? [crashWithin(dice, first.crash?.seq ?? 1, records)] : [];
  if (!dice.chance(0.12)) return [first, ...second];
  return [{ crash: null, ask: { what: dice.chance(0.8) ? "drain" : "cancel", after: dice.below(records) } }, ...second];
}

/** With its first commit, in which it took the run up. */
const atOnce: Disturbance = { crash: { seq: 0, commits: true }, ask: null };

function crashWithin(dice: Dice, from: number, to: number): Disturbance {
  return { crash: { seq: from + dice.below(Math.max(1, to - from + 1)), commits: dice.chance(0.7) }, ask: null };
}

export type Fixed = Pick<LifeRequest, "graph" | "house" | "settings" | "check" | "id" | "fork" | "wrap">;

export interface Played extends Pick<Verdict, "lives" | "journal" | "faults"> {
  readonly store: MemoryBackend;
  /** The clock when it was over. */
  readonly now: number;
}

/** One life per disturbance and then as many as it takes, which is one. */
export async function play(
  fixed: Fixed,
  dice: Dice,
  disturbed: readonly Disturbance[],
  from: Pick<Played, "store" | "now"> = { store: memory(), now: 1_700_000_000_000 },
): Promise<Played> {
  let { store, now } = from;
  const lives: Life[] = [];
  for (let i = 0; i <= disturbed.length + 3; i++) {
    const mayLeave = i <= disturbed.length + 1;
    const { crash, ask } = disturbed[i] ?? { crash: null, ask: null };
    const life = await live({ ...fixed, store, dice, crash, ask, now, mayLeave, name: `engine${i}` }, i === 0);
    lives.push(life);
    // An engine that takes over may not believe that a due time is to come which the one before has seen pass.
    now = life.now + 1000;
    store = store.another();
    if (life.over) break;
  }
  const id = fixed.id ?? runId;
  const stored = await journalOf(fixed.wrap(store.another()), id, lives);
  const begun = new Set(lives.flatMap(({ entries }) => entries.map(({ path }) => path)));
  const happenings = fixed.house.asides.with(id, stored.happenings, ({ slot, at }) =>
    begun.has(pathAt(fixed.graph.plan, slot, at)),
  );
  const journal = { ...stored, happenings };
  return { lives, journal, faults: faultsOf(fixed.graph, journal, lives, fixed.settings), store, now };
}

/** There is no run: it could not be made. */
export class NeverWas extends Error {}

async function journalOf(reader: Backend, id: string, lives: readonly Life[]): Promise<StoredJournal> {
  await reader.open(`reader of ${id}`);
  try {
    if ((await reader.get(id)) === undefined) throw new NeverWas(lives.flatMap((life) => life.faults).join("; "));
    return await readJournal(reader, id);
  } finally {
    await reader.close();
  }
}

/**
 * DESIGN §4, Equality: of an order-free graph, the disturbed run came to what the undisturbed one came to; unless a body
 * was at work at too many crashes in a row, or its journal was full.
 */
export function compare(whole: StoredJournal, disturbed: StoredJournal, faults: string[]): void {
  if (disturbed.happenings.some((one) => one.kind === "attemptFailed" && one.error.code === "CrashLoop")) return;
  // A crash costs records.
  if ([whole, disturbed].some(({ happenings }) => happenings.some(({ kind }) => kind === "stopped"))) return;
  const due = whole.happenings.at(-1);
  const got = disturbed.happenings.at(-1);
  if (due?.kind !== "ended" || got?.kind !== "ended" || got.status === "cancelled") return;
  differ("status, compared with an uninterrupted run", got.status, due.status, faults);
  differ("errors, compared with an uninterrupted run", comparable(got.errors), comparable(due.errors), faults);
  differ("output, compared with an uninterrupted run", got.output, due.output, faults);
}
