/**
 * Forks: a new run that begins as another one went up to a record, with something different.
 *
 * F1  The run that it comes from is read and never written.
 * F2  The fork is created with all that it keeps in one row: it is there whole, or not at all.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { nearest } from "../base/name.ts";
import type { ForkOrigin } from "../events/record.ts";
import { threadOf } from "../journal/carry/carry.ts";
import { decode } from "../journal/codec/codec.ts";
import { encodeAs } from "../journal/encode-as.ts";
import { cellUses } from "../journal/fork/cell-uses.ts";
import { Talks } from "../journal/fork/conversations.ts";
import { reachedFrom } from "../journal/fork/reach.ts";
import { selectKept, type Differences, type GivenOutput } from "../journal/fork/select.ts";
import { readSource, type Source } from "../journal/fork/source.ts";
import { takeUp, type GivenCell } from "../journal/fork/take-up.ts";
import { recordedContext } from "../journal/rebuild.ts";
import { fingerprintMismatch } from "../journal/recorded-graph.ts";
import { recordedCarry, recordedLimits, recordedTags, startedRecord, type Terms } from "../journal/started.ts";
import { migrationFrom } from "../model/migration.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { validate } from "../runtime/validate.ts";
import { openInvocations } from "../state/invocations.ts";
import { pathPattern, readNodePath, type NodePlace } from "../state/path.ts";
import type { CallerValues, RunState } from "../state/run-state.ts";
import type { ForkOptions, ForkPatch } from "./fork-options.ts";
import { tagsOf } from "./tags.ts";

/** A fork that is thought through and not made yet. */
export interface Fork {
  readonly backend: Backend;
  readonly plan: Plan;
  /** Null: one is made. */
  readonly runId: string | null;
  readonly terms: Terms;
  /** What it is forked from, up to the record behind which it leaves it. */
  readonly source: Source;
  /** What the patch says that ops have given. */
  readonly given: readonly GivenOutput[];
  /** Brings a fresh state to where the fork begins, and gives the records of that. */
  readonly begin: (state: RunState, at: number) => string[];
}

/** @throws MillraceError as `Engine.fork` says. */
export async function prepareFork(backend: Backend, row: RunRow, plan: Plan, options: ForkOptions): Promise<Fork> {
  if (migrationFrom(plan, row.fingerprint) === null)
    throw fingerprintMismatch(row.id, row.graph, row.fingerprint, plan);
  const { patch = {}, rerun = [] } = options;
  const source = await readSource(backend, row, plan, options.at ?? row.lastSeq);
  const again = rerun.map((path) => placeOf(plan, path, againKinds));
  const outputs = await givenOutputs(plan, patch);
  const cells = givenCells(plan, patch);
  const input = await inputOf(plan, patch, source);
  const differences = await differencesOf(backend, plan, source, { outputs, rerun: again }, patch);
  const terms = termsOf(plan, source, options);
  const carried = (await threadOf(backend, row))?.carried ?? recordedCarry(source.started, source.revive);
  const fork = {
    forkedFrom: originOf(source, options),
    ...(carried !== undefined && { carried: JSON.parse(encodeAs("carried", carried)) as unknown }),
  };
  const begin = (state: RunState, at: number): string[] => {
    state.carried = carried;
    const start = startedRecord(plan, input.encoded, terms, at, fork);
    const records = takeUp(state, { input: input.value, at }, selectKept(plan, source, differences), cells);
    if (state.end !== null && outputs.length + again.length === 0 && !Object.hasOwn(patch, "input"))
      throw errorOf("NothingToFork", { runId: row.id, seq: source.seq });
    refuseLive(state, source.seq);
    return [start, ...records];
  };
  return { backend, plan, runId: options.id ?? null, terms, source, given: outputs, begin };
}

/** A generator that has to begin anew makes its items again; nobody can send those of a live input again. */
function refuseLive(state: RunState, seq: number): void {
  const open = openInvocations(state).find(({ slot, yielded }) => slot.op?.live !== undefined && yielded > 0);
  if (open !== undefined) throw errorOf("NotResumable.fork", { input: open.slot.name, seq });
}

async function differencesOf(
  backend: Backend,
  plan: Plan,
  source: Source,
  given: Pick<Differences, "outputs" | "rerun">,
  patch: ForkPatch,
): Promise<Differences> {
  const input = Object.hasOwn(patch, "input") ? [{ slot: plan.slots[0] as SlotPlan, at: 0 as const }] : [];
  const talks = new Talks(plan, source.records);
  const rerun = given.rerun.flatMap((place) => talks.again(place));
  const places: NodePlace[] = [...input, ...given.outputs, ...rerun];
  const uses = places.length === 0 ? [] : await cellUses(backend, source.row, plan, source.seq);
  return { outputs: given.outputs, rerun, ...reachedFrom(plan, places, uses, talks) };
}

const opKinds: ReadonlySet<SlotKind> = new Set([SlotKind.op]);
/** A call that took too long has failed by itself: it has its time again, and what was done in it stands. */
const againKinds: ReadonlySet<SlotKind> = new Set([SlotKind.op, SlotKind.ask, SlotKind.sleep, SlotKind.bounded]);

function placeOf(plan: Plan, path: string, kinds: ReadonlySet<SlotKind>): NodePlace {
  const place = readNodePath(plan, path);
  if (place === undefined) throw unknownPath(plan, path);
  const { kind, scope, op } = place.slot;
  const isAside = (plan.scopes[scope]?.ephemeral ?? -1) >= 0;
  if (isAside || (kinds === opKinds && op?.onResume === "ephemeral")) throw errorOf("NoSuchNode.ephemeral", { path });
  if (kinds.has(kind)) return place;
  const why =
    kind === SlotKind.ask
      ? "a question is answered, or asked again (rerun)"
      : "what it comes to follows from the ops before it";
  throw errorOf("NoSuchNode.notAnOp", { path, why });
}

function unknownPath(plan: Plan, path: string): MillraceError {
  const paths = plan.slots.filter(({ kind }) => againKinds.has(kind)).map((slot) => pathPattern(plan, slot));
  // Those in no item may be named without the graph.
  const short = paths.filter((known) => !known.includes("…")).map((known) => known.slice(plan.name.length + 1));
  const close = nearest(path, [...paths, ...short]);
  const known = close === undefined ? `it has ${some(paths)}` : `did you mean "${close}"?`;
  return errorOf("NoSuchNode", { path: path.slice(0, 200), graph: plan.name, known });
}

function some(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > 10 ? `, and ${names.length - 10} more` : "";
  return names.slice(0, 10).join(", ") + more;
}

async function givenOutputs(plan: Plan, { outputs = {} }: ForkPatch): Promise<GivenOutput[]> {
  const given: GivenOutput[] = [];
  for (const [path, value] of Object.entries(outputs)) {
    const { slot, at } = placeOf(plan, path, opKinds);
    const { items, final } = slot.stream < 0 ? { items: [value] } : streamGiven(path, value);
    const values: unknown[] = [];
    for (const item of items) values.push(await storedOf(slot, path, item));
    const returned = final === undefined ? {} : { returned: stored(path, final) };
    given.push({ slot, at, values, ...returned });
  }
  return given;
}

/** A list of items, or those and what the generator returns. */
function streamGiven(path: string, value: unknown): { readonly items: readonly unknown[]; readonly final?: unknown } {
  if (Array.isArray(value)) return { items: value as unknown[] };
  const { items, final } = Object(value) as { items?: unknown; final?: unknown };
  if (Array.isArray(items)) return { items: items as unknown[], final };
  const issues = "a stream is given as the list of its items, or as { items, final }";
  throw errorOf("InvalidValue", { what: `the patch of "${path}"`, issues });
}

function stored(path: string, value: unknown): unknown {
  return JSON.parse(encodeAs(`the patch of "${path}"`, value));
}

/** Checked as what the body gives is. */
async function storedOf({ op }: SlotPlan, path: string, value: unknown): Promise<unknown> {
  const what = `the patch of "${path}"`;
  const schema = op?.output ?? null;
  const valid = schema === null ? value : await validate(schema, value, what);
  return stored(path, valid);
}

function givenCells(plan: Plan, { cells = {} }: ForkPatch): GivenCell[] {
  return Object.entries(cells).map(([name, value]) => {
    const cell = plan.cells.findIndex((known) => known.name === name);
    if (cell < 0) throw unknownCell(plan, name);
    const encoded = encodeAs(`the patch of cell "${name}"`, value);
    return { cell, name, value: decode(encoded), encoded };
  });
}

function unknownCell(plan: Plan, name: string): MillraceError {
  const names = plan.cells.map((cell) => cell.name);
  const close = nearest(name, names);
  const known = close === undefined ? `it has ${some(names)}` : `did you mean "${close}"?`;
  return errorOf("NoSuchNode.cell", { cell: name, graph: plan.name, known });
}

interface ForkInput {
  readonly value: unknown;
  readonly encoded: string;
}

async function inputOf(plan: Plan, patch: ForkPatch, { started, revive }: Source): Promise<ForkInput> {
  if (!Object.hasOwn(patch, "input")) return { value: revive(started.input), encoded: JSON.stringify(started.input) };
  const what = `the input of "${plan.name}"`;
  const valid = plan.input === null ? patch.input : await validate(plan.input, patch.input, what);
  const encoded = encodeAs("input", valid);
  return { value: decode(encoded), encoded };
}

function termsOf(plan: Plan, { row, started, revive }: Source, { labels, traceId }: ForkOptions): Terms {
  const recorded = recordedTags(started);
  const context = started.context === undefined ? undefined : (revive(started.context) as CallerValues);
  return {
    errors: started.errors,
    thread: null,
    limits: recordedLimits(started),
    caller: plan.contexts.length === 0 ? null : recordedContext(plan, row.id, context),
    tags: tagsOf({
      ...pick("traceId", traceId ?? recorded?.traceId),
      ...pick("labels", labels ?? recorded?.labels),
    }),
  };
}

function pick<K extends string, V>(key: K, value: V | null | undefined): { [key in K]?: V } {
  return (value === undefined || value === null ? {} : { [key]: value }) as { [key in K]?: V };
}

function originOf({ row, seq }: Source, { patch, rerun }: ForkOptions): ForkOrigin {
  return {
    runId: row.id,
    seq,
    ...(patch !== undefined && { patch: JSON.parse(encodeAs("patch", patch)) as unknown }),
    ...(rerun !== undefined && rerun.length > 0 && { rerun }),
  };
}
