/**
 * One case of the fork property: a random graph is run to its end, then forked at one of its records, with or without a
 * crash; and all that must hold of both runs is checked. Deterministic in its seed.
 */
import type { At } from "../events/record.ts";
import type { ForkOptions } from "../engine/fork-options.ts";
import { SlotKind, type Plan } from "../model/plan.ts";
import type { Backend } from "../ports/backend.ts";
import type { RunState } from "../state/run-state.ts";
import { pathAt } from "../state/path.ts";
import { Dice } from "./dice.ts";
import { buildRandomGraph, randomSpec, type GraphSpec, type RandomGraph } from "./random-graph.ts";
import type { Happening } from "./reference/happening.ts";
import { compare, NeverWas, play, settingsOf, type Disturbance, type Fixed, type Played } from "./simulate.ts";
import type { Life } from "./simulate/lives.ts";
import { Playhouse } from "./simulate/playhouse.ts";
import { checkForetold, previewAt } from "./simulate/fork-preview.ts";
import { readJournal, type StoredJournal } from "./simulate/journal.ts";
import type { Crash } from "./simulate/staged-backend.ts";

/** A run that ended, and can be forked again and again. */
export interface Origin {
  readonly graph: RandomGraph;
  readonly journal: StoredJournal;
  readonly faults: readonly string[];
  readonly fixed: Fixed;
  readonly house: Playhouse;
  readonly seed: number;
  readonly store: Played["store"];
  readonly now: number;
  forks: number;
}

export interface ForkVerdict {
  readonly faults: readonly string[];
  readonly journal: StoredJournal;
  readonly lives: readonly Life[];
  /** The fork, to be forked itself. */
  readonly next: Origin;
}

export function originOf(seed: number, check: (run: RunState) => void): Promise<Origin> {
  return originOfSpec(randomSpec(seed), seed, check);
}

export async function originOfSpec(spec: GraphSpec, seed: number, check: (run: RunState) => void): Promise<Origin> {
  const house = new Playhouse(false);
  const graph = buildRandomGraph(spec, house);
  // A fork has other records than its origin, and fewer or more.
  const settings = { ...settingsOf(new Dice(seed, 2), {}), maxRecords: undefined };
  const fixed = { graph, house, settings, check, wrap: (backend: Backend): Backend => backend };
  const { journal, faults, store, now } = await play(fixed, new Dice(seed, 3), []);
  return { graph, journal, faults, fixed, house, seed, store, now, forks: 0 };
}

/** Where something was over, by path, among the first `until` records. */
function overBy(plan: Plan, { happenings }: StoredJournal, until: number): Map<string, number> {
  const over = new Map<string, number>();
  happenings.slice(0, until).forEach((happening, i) => {
    if (isOver(happening)) over.set(pathAt(plan, happening.slot, happening.at), i + 1);
  });
  return over;
}

function isOver(happening: Happening): happening is Extract<Happening, { slot: number; at: At }> {
  if (happening.kind === "attemptFailed") return happening.retryAt === null;
  return happening.kind === "output" || happening.kind === "eof" || happening.kind === "settled";
}

/**
 * A fork at record `at`. Without a patch it does again nothing that was over; of an order-free graph it comes to what the
 * run came to, or with a patch to what `expected` came to. Null: the run had ended there.
 */
export async function forkAt(
  origin: Origin,
  options: ForkOptions,
  crash: Crash | null = null,
  expected: StoredJournal = origin.journal,
): Promise<ForkVerdict | null> {
  const { graph, seed } = origin;
  const id = `${origin.journal.row.id}-${++origin.forks}`;
  const dice = new Dice(seed, 100 + origin.forks);
  const disturbed: Disturbance[] = crash === null ? [] : [{ crash, ask: null }];
  const played = await playFork(
    { ...origin.fixed, id, fork: { ...options, of: origin.journal.row.id } },
    dice,
    disturbed,
    origin,
  );
  if (played === null) return null;
  const reader = played.store.another();
  await reader.open(`reader after ${id}`);
  const faults = [...played.faults, ...(await foretold(origin, options, played))];
  checkNotAgain(graph.plan, origin, options, played.lives, faults);
  const after = await readJournal(reader, origin.journal.row.id);
  if (JSON.stringify(after.rows) !== JSON.stringify(origin.journal.rows))
    faults.push("P5.2 the origin's journal changed");
  await reader.close();
  if (graph.orderFree) compare(expected, played.journal, faults);
  const { journal, lives, store, now } = played;
  return { faults, journal, lives, next: { ...origin, journal, faults, store, now, forks: 0 } };
}

/** Of one in three: it costs an engine. */
async function foretold(origin: Origin, options: ForkOptions, { lives }: Played): Promise<string[]> {
  const { graph, forks, store } = origin;
  const { id, lastSeq } = origin.journal.row;
  if (forks % 3 !== 1 || graph.fickle.size > 0) return [];
  const preview = await previewAt(graph, store.another(), id, options);
  if (preview === undefined) return ["no preview is given of a fork that can be made"];
  return checkForetold(preview, lives, overBy(graph.plan, origin.journal, lastSeq));
}

async function playFork(
  fixed: Fixed,
  dice: Dice,
  disturbed: readonly Disturbance[],
  origin: Origin,
): Promise<Played | null> {
  try {
    return await play(fixed, dice, disturbed, { store: origin.store.another(), now: origin.now });
  } catch (error) {
    if (error instanceof NeverWas && error.message.includes("would have nothing to do")) return null;
    throw error;
  }
}

/** I4 for forks: what was over where the fork begins is not done again. */
function checkNotAgain(
  plan: Plan,
  { journal }: Origin,
  { at = journal.row.lastSeq, patch, rerun }: ForkOptions,
  lives: readonly Life[],
  faults: string[],
): void {
  const given = new Set(Object.keys(patch?.outputs ?? {}));
  const over = patch === undefined && rerun === undefined ? overBy(plan, journal, at) : new Map<string, number>();
  for (const { path } of lives.flatMap((life) => life.entries)) {
    if (given.has(path)) faults.push(`${path} ran, and its output was given`);
    const record = over.get(path);
    if (record !== undefined) faults.push(`I4: ${path} ran again, and record ${record} says that it was over`);
  }
}

/** Some op that was over by record `at`, and another output for it. */
export function somePatch({ graph, journal, seed }: Origin, at: number): { path: string; value: unknown } | undefined {
  const { plan } = graph;
  const dice = new Dice(seed, 1_000 + at);
  const ops = journal.happenings.slice(0, at).flatMap((happening) => {
    const slot = isOver(happening) ? plan.slots[happening.slot] : undefined;
    // What is made of its items is not given.
    if (slot?.op?.onResume === "ephemeral") return [];
    return slot?.kind === SlotKind.op && isOver(happening) ? [{ slot, at: happening.at }] : [];
  });
  if (ops.length === 0) return undefined;
  const { slot, at: where } = dice.of(ops);
  const output = { v: dice.below(100), list: [dice.below(9), 3], maybe: dice.below(50), rows: [{ v: 1, list: [2] }] };
  return {
    path: pathAt(plan, slot.id, where),
    value: slot.stream < 0 ? output : { items: [output, { ...output, v: 7 }], final: output },
  };
}

/** The same graph run afresh, where the invocation at `path` gives `value`. */
export async function freshRun({ fixed, house, seed }: Origin, path: string, value: unknown): Promise<Played> {
  house.given.set(path, value);
  try {
    return await play(fixed, new Dice(seed, 5), []);
  } finally {
    house.given.clear();
  }
}
