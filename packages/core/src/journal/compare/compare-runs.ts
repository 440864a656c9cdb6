/**
 * What differs between two runs, by what their journals say; the graphs need not be known. Times, attempts that were
 * followed by others, and who took a run up do not count. Reads both journals twice, and keeps of them a hash for each thing
 * that they say, and what differs of that as far as it is asked for.
 */
import { planOf } from "../../build/plan-of.ts";
import { errorOf } from "../../base/error.ts";
import type { At, ForkOrigin } from "../../events/record.ts";
import type { Runnable } from "../../model/op.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend, RunRow, RunStatus } from "../../ports/backend.ts";
import { pathAt } from "../../state/path.ts";
import { reviverOf, type Revive } from "../blobs.ts";
import { startedOf } from "../replay-rows.ts";
import { isCompacted } from "../compact/compacted.ts";
import { RowReader, type RawRecord } from "../rows.ts";
import { factsOf, type Fact, type FactKind, type Said } from "./facts.ts";

export interface ComparedRun {
  readonly id: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly status: RunStatus;
  /** Records that it has. */
  readonly records: number;
  /** Milliseconds since 1970, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** Present when it is a fork: of which run, and behind which of its records. */
  readonly forkedFrom?: { readonly runId: string; readonly seq: number };
}

/** What one of the two runs says. */
export interface ComparedSide {
  /** Of a `result`, `item`, `input`, `cell`, `question`, `answer`, and of the `end` of a run that completed. */
  readonly value?: unknown;
  /** Of a `result` that is a failure. */
  readonly error?: { readonly code: string; readonly type: string; readonly message: string };
  /** Of a `choice`: the arm by its number, -1 for none; of a loop, whether it ended (1). */
  readonly choice?: number;
  /** Of an `answer`: who; it is not compared. */
  readonly by?: string;
  /** Of an `end`. */
  readonly status?: string;
  readonly reason?: string;
  /** Of a `graph`: its name. */
  readonly graph?: string;
}

export interface RunDifference {
  /**
   * `result`: what an op, question, sleep or call came to. `item`: one of a generator. `choice`: which arm was taken, or who
   * won. `question` and `answer`. `dropped`: an item that left a full stream. `cell`: what a fork was told that it holds.
   * `graph`, `input` and `end`: of the run as a whole.
   */
  readonly what: FactKind;
  /** Scoped name of the node; of a `cell` its name; else empty. */
  readonly node: string;
  /** Indices of the items and iterations around, from the outermost inward; empty at the top. */
  readonly items: readonly number[];
  /** When the graph is given. */
  readonly path?: string;
  /** Of an `item`: which one of its generator; of `dropped`: which one of the stream. */
  readonly index?: number;
  /** What the first run says; absent: nothing. */
  readonly a?: ComparedSide;
  /** What the second run says; absent: nothing. */
  readonly b?: ComparedSide;
}

export interface RunComparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** How many things both say alike. */
  readonly common: number;
  /** How many only one of them says, or each in another way. */
  readonly different: number;
  /** Of these, as many as were asked for, in the order of the first run; values are fetched as they are read. */
  readonly differences: AsyncIterable<RunDifference>;
}

export interface CompareOptions {
  /** For paths: the graphs that the runs are of. */
  readonly graphs?: readonly Runnable<never, unknown>[];
  /** Only what is of this node, or of those inside of a block of this name; both counts too. */
  readonly node?: string;
  /** At most so many differences. Default 100. */
  readonly limit?: number;
}

/** @throws MillraceError `RunNotFound`, `JournalCorrupt`, `JournalTooNew` */
export async function compareRuns(
  backend: Backend,
  a: string,
  b: string,
  { graphs = [], node, limit = 100 }: CompareOptions = {},
): Promise<RunComparison> {
  const rows = [await rowOf(backend, a), await rowOf(backend, b)] as const;
  const [left, right] = [await digests(backend, rows[0], node), await digests(backend, rows[1], node)];
  const keys = differing(left, right);
  const wanted = new Set(keys.slice(0, limit));
  const plans = new Map(graphs.map((graph) => [planOf(graph).fingerprint, planOf(graph)]));
  return {
    a: await comparedRun(backend, rows[0]),
    b: await comparedRun(backend, rows[1]),
    common: new Set([...left.keys(), ...right.keys()]).size - keys.length,
    different: keys.length,
    differences: { [Symbol.asyncIterator]: () => differencesOf(backend, rows, [...wanted], plans) },
  };
}

async function rowOf(backend: Backend, runId: string): Promise<RunRow> {
  const row = await backend.get(runId);
  if (row === undefined) throw errorOf("RunNotFound", { runId, where: backend.name });
  return row;
}

interface Digest {
  readonly digest: string;
  readonly seq: number;
}

async function digests(backend: Backend, row: RunRow, node: string | undefined): Promise<Map<string, Digest>> {
  const found = new Map<string, Digest>();
  for await (const { key, node: name, digest, seq } of factsOf(backend, row))
    if (node === undefined || name === node || name.startsWith(`${node}/`)) found.set(key, { digest, seq });
  return found;
}

function differing(left: ReadonlyMap<string, Digest>, right: ReadonlyMap<string, Digest>): string[] {
  const found: { readonly key: string; readonly seq: number }[] = [];
  for (const [key, { digest, seq }] of left) if (right.get(key)?.digest !== digest) found.push({ key, seq });
  for (const [key, { seq }] of right) if (!left.has(key)) found.push({ key, seq });
  return found.toSorted((one, other) => one.seq - other.seq).map(({ key }) => key);
}

type Rows = readonly [RunRow, RunRow];

async function* differencesOf(
  backend: Backend,
  [a, b]: Rows,
  keys: readonly string[],
  plans: ReadonlyMap<string, Plan>,
): AsyncGenerator<RunDifference, void> {
  const wanted = new Set(keys);
  const [left, right] = [await wantedOf(backend, a, wanted), await wantedOf(backend, b, wanted)];
  for (const key of keys) {
    const [one, other] = [left.get(key), right.get(key)];
    const fact = one ?? other;
    if (fact === undefined) continue;
    yield {
      ...placeOf(fact, plans.get((one === undefined ? b : a).fingerprint)),
      ...(one !== undefined && { a: await sideOf(backend, a.id, one.said) }),
      ...(other !== undefined && { b: await sideOf(backend, b.id, other.said) }),
    };
  }
}

async function wantedOf(backend: Backend, row: RunRow, wanted: ReadonlySet<string>): Promise<Map<string, Fact>> {
  const found = new Map<string, Fact>();
  for await (const fact of factsOf(backend, row)) if (wanted.has(fact.key)) found.set(fact.key, fact);
  return found;
}

function placeOf(
  { what, node, slot, at, index }: Fact,
  plan: Plan | undefined,
): Pick<RunDifference, "what" | "node" | "items" | "path" | "index"> {
  return {
    what,
    node,
    items: itemsOf(at),
    ...(plan !== undefined && slot >= 0 && { path: pathAt(plan, slot, at) }),
    ...(index !== undefined && { index }),
  };
}

function itemsOf(at: At): readonly number[] {
  return at === 0 ? [] : at;
}

async function sideOf(backend: Backend, runId: string, said: Said): Promise<ComparedSide> {
  const { value, error, ...others } = said;
  const record: RawRecord = [value, error];
  const revive = await reviverOf(backend, runId, [record]);
  return {
    ...others,
    ...(Object.hasOwn(said, "value") && { value: revive(value) }),
    ...(error !== undefined && { error: errorSaid(error, revive) }),
  };
}

function errorSaid(stored: unknown, revive: Revive): NonNullable<ComparedSide["error"]> {
  const { code, type, message } = revive(stored) as NonNullable<ComparedSide["error"]>;
  return { code, type, message };
}

async function comparedRun(backend: Backend, row: RunRow): Promise<ComparedRun> {
  const { id, graph, fingerprint, status, lastSeq: records, createdAt, updatedAt, endedAt } = row;
  const origin = await originIn(backend, row);
  const forkedFrom = origin === undefined ? {} : { forkedFrom: { runId: origin.runId, seq: origin.seq } };
  return { id, graph, fingerprint, status, records, createdAt, updatedAt, endedAt, ...forkedFrom };
}

async function originIn(backend: Backend, row: RunRow): Promise<ForkOrigin | undefined> {
  const reader = new RowReader(row.id);
  for await (const journalRow of backend.read(row.id)) {
    const [first = []] = reader.unpack(journalRow);
    return startedOf(row, isCompacted(first) ? (first[2][0] ?? []) : first).forkedFrom;
  }
  return undefined;
}
