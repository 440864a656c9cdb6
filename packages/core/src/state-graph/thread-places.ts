/** Places in a thread: its head, a checkpoint by its id, a page of its history. */
import { errorOf, MillraceError } from "../base/error.ts";
import type { RunRow } from "../ports/backend.ts";
import { madeOf } from "./board.ts";
import type { Board } from "./board-data.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { boundaries, headBoundary } from "./checkpoints.ts";
import { checkpointsOf, type Kept } from "./thread-checkpoints.ts";
import type { ReadRun, ThreadReader } from "./thread-reader.ts";
import type { TurnLog } from "./superstep-log.ts";
import type { Given } from "./turn.ts";

/** Where a turn may go on from. */
export interface Place {
  readonly checkpoint: Checkpoint;
  readonly board: Board;
  /** Of the superstep that begins there, as far as it went. */
  readonly given: readonly Given[];
  /** The newest of its thread. */
  readonly isHead: boolean;
  /** Checkpoints that the thread has. */
  readonly made: number;
}

/**
 * Undefined: the thread has none.
 *
 * @throws MillraceError `UnreadableCheckpoint` when the newest run was compacted: what an earlier one left is not where the thread stands
 */
export async function headOf(reader: ThreadReader, thread: string): Promise<Place | undefined> {
  const read: ReadRun[] = [];
  for await (const { checkpoint } of checkpointsOf(reader, noting(reader.runs(thread), read))) {
    // The newest run may have gone on from a checkpoint of an earlier one, and know more of its tasks than that.
    const { board, given } = headBoundary(newestLog(thread, read)!);
    return { checkpoint, board, given, isHead: true, made: madeOf(board) };
  }
  newestLog(thread, read);
  return undefined;
}

/** Of the newest run that began at all. */
function newestLog(thread: string, read: readonly ReadRun[]): TurnLog | undefined {
  const newest = read.find(({ log, isGone }) => log !== null || isGone);
  if (newest?.isGone === true) throw errorOf("UnreadableCheckpoint.compacted", { thread, runId: newest.row.id });
  return newest?.log ?? undefined;
}

/**
 * Whether a turn that begins now begins with what the thread carries. Where a turn that did not complete cannot be read, an input begins
 * anew with what the last that did left; but if its records are gone, nobody can say by what that would be a step back.
 */
export async function isCarried(
  reader: ThreadReader,
  thread: string,
  newest: RunRow | undefined,
  isInput: boolean,
): Promise<boolean> {
  if (newest === undefined || newest.status === "completed") return true;
  if (!isInput) return false;
  try {
    await headOf(reader, thread);
    return false;
  } catch (error) {
    if (isUnreadable(error) && (await reader.has(newest.id))) return true;
    throw error;
  }
}

function isUnreadable(error: unknown): error is MillraceError {
  return error instanceof MillraceError && error.code === "UnreadableCheckpoint";
}

/**
 * The newest checkpoint, to be looked at. Where that cannot be read: what the thread carries, if that is where it stands, and why the
 * checkpoint cannot be. Undefined: there is none.
 */
export async function standingOf(
  reader: ThreadReader,
  thread: string,
  newest: RunRow,
): Promise<{ readonly checkpoint: Checkpoint; readonly unreadable?: MillraceError } | undefined> {
  try {
    const head = await headOf(reader, thread);
    return head === undefined ? undefined : { checkpoint: head.checkpoint };
  } catch (error) {
    if (!isUnreadable(error) || (newest.status !== "completed" && !(await reader.has(newest.id)))) throw error;
    return { checkpoint: carriedCheckpoint(thread, newest, await reader.carried(thread), reader), unreadable: error };
  }
}

function carriedCheckpoint(
  thread: string,
  { id: runId, lastSeq: recordSeq, createdAt }: RunRow,
  board: Board,
  { model }: Pick<ThreadReader, "model">,
): Checkpoint {
  const next = board.works.map(({ node }) => node);
  return {
    thread,
    id: `${runId}:carried`,
    parent: null,
    gap: true,
    seq: Math.max(0, madeOf(board) - 1),
    step: board.step,
    source: "superstep",
    state: model.view(board.state),
    next,
    pending: board.works.map((work) => ({ node: work.node, ...("state" in work && { sent: work.state }) })),
    writes: [],
    runId,
    recordSeq,
    createdAt,
    inner: [],
  };
}

async function* noting(runs: AsyncIterable<ReadRun>, read: ReadRun[]): AsyncGenerator<ReadRun> {
  for await (const run of runs) {
    read.push(run);
    yield run;
  }
}

/**
 * The checkpoint with that id. `head`: of its thread, where it matters whether it is that.
 *
 * @throws MillraceError `NoSuchCheckpoint`; `UnreadableCheckpoint` when its run cannot be read
 */
export async function placeOf(
  reader: ThreadReader,
  thread: string,
  id: string,
  head: Place | undefined,
): Promise<Place> {
  if (head?.checkpoint.id === id) return head;
  const { boundary, checkpoint } = await find(reader, thread, id);
  const { board, given } = boundary;
  return { checkpoint, board, given, isHead: false, made: head?.made ?? madeOf(board) };
}

async function find(reader: ThreadReader, thread: string, id: string): Promise<Kept> {
  const runId = id.slice(0, Math.max(0, id.lastIndexOf(":")));
  const row = runId === "" ? undefined : await reader.find(thread, runId);
  const read: ReadRun[] = [];
  if (row !== undefined)
    for await (const kept of checkpointsOf(reader, noting(reader.runs(thread, row), read)))
      if (kept.checkpoint.id === id) return kept;
      else if (kept.checkpoint.runId !== runId) break;
  if (read[0]?.isGone === true) throw errorOf("UnreadableCheckpoint.compacted", { thread, runId });
  throw errorOf("NoSuchCheckpoint", { thread, id });
}

export interface PageOptions {
  readonly limit?: number;
  readonly before?: string;
  readonly order?: "newest" | "oldest";
}

/** @throws MillraceError `NoSuchCheckpoint` */
export async function pageOf(
  reader: ThreadReader,
  thread: string,
  { limit = 100, before, order = "newest" }: PageOptions,
): Promise<readonly Checkpoint[]> {
  const from = before === undefined ? undefined : (await find(reader, thread, before)).checkpoint;
  return order === "newest" ? newestFirst(reader, thread, limit, from) : oldestFirst(reader, thread, limit, from);
}

async function newestFirst(
  reader: ThreadReader,
  thread: string,
  limit: number,
  before: Checkpoint | undefined,
): Promise<readonly Checkpoint[]> {
  const row = before === undefined ? undefined : await reader.find(thread, before.runId);
  const page: Checkpoint[] = [];
  let isBehind = before === undefined;
  for await (const { checkpoint } of checkpointsOf(reader, reader.runs(thread, row))) {
    if (page.length >= limit) break;
    if (isBehind) page.push(checkpoint);
    isBehind ||= checkpoint.id === before?.id;
  }
  return page;
}

/** Rows are cheap, and are told newest first; of the runs only as many are read as the page needs. */
async function oldestFirst(
  reader: ThreadReader,
  thread: string,
  limit: number,
  after: Checkpoint | undefined,
): Promise<readonly Checkpoint[]> {
  const rows: RunRow[] = [];
  for await (const row of reader.rows(thread)) rows.unshift(row);
  const first = Math.max(0, after === undefined ? 0 : rows.findIndex(({ id }) => id === after.runId));
  const passed = after === undefined ? 0 : Number(after.id.slice(after.id.lastIndexOf(":") + 1)) + 1;
  const read: ReadRun[] = [];
  let count = 0;
  // One more than is wanted: what a later run knows of the tasks of the last one belongs to it.
  for (let at = first; at < rows.length && count - passed <= limit; at++) {
    const run = await reader.read(rows[at]!);
    read.unshift(run);
    count += run.log === null ? 0 : boundaries(run.log).length;
  }
  const page: Checkpoint[] = [];
  if (count === 0) return page;
  for await (const { checkpoint } of checkpointsOf(
    reader,
    behind(read, first === 0 ? nothing() : reader.runs(thread, rows[first - 1])),
  )) {
    page.unshift(checkpoint);
    if (page.length === count) break;
  }
  return page.slice(passed, passed + limit);
}

async function* behind(read: readonly ReadRun[], earlier: AsyncIterable<ReadRun>): AsyncGenerator<ReadRun> {
  yield* read;
  yield* earlier;
}

async function* nothing(): AsyncGenerator<ReadRun> {}
