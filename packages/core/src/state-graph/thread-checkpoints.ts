/** The checkpoints of a thread out of its runs. */
import type { AskedQuestion, Checkpoint, PendingTask } from "./checkpoint.ts";
import { boundaries, pendingBefore, publicOf, type Boundary } from "./checkpoints.ts";
import { madeOf } from "./board.ts";
import type { ReadRun, ThreadReader } from "./thread-reader.ts";

export interface Kept {
  readonly checkpoint: Checkpoint;
  readonly boundary: Boundary;
}

interface Parent {
  readonly id: string | null;
  readonly gap: boolean;
}

/**
 * Newest first, of runs in that order. A run is asked for when a checkpoint of it, or the parent of one that is wanted, is; of those
 * whose records are gone there is nothing, and the checkpoint behind them says so.
 */
export async function* checkpointsOf(
  reader: Pick<ThreadReader, "has">,
  runs: AsyncIterable<ReadRun>,
): AsyncGenerator<Kept> {
  const ahead = new Ahead(runs);
  /** What runs that went on from a checkpoint know of its tasks; the newest first. */
  const later = new Map<string, (readonly PendingTask[])[]>();
  for (let run = await ahead.next(); run !== undefined; run = await ahead.next()) {
    if (run.log === null) continue;
    const { log } = run;
    const own = boundaries(log);
    for (let at = own.length - 1; at > 0; at--)
      yield kept(run, own[at]!, at, { id: idOf(run, at - 1), gap: false }, later);
    const before = pendingBefore(log);
    const parent = own.length > 0 || before !== undefined ? await parentOf(reader, run, ahead) : orphan;
    if (own.length > 0) yield kept(run, own[0]!, 0, parent, later);
    if (before !== undefined && parent.id !== null) later.set(parent.id, [...(later.get(parent.id) ?? []), before]);
  }
}

const orphan: Parent = { id: null, gap: false };

/** The checkpoint that it says it goes on from; else where the last run that completed left the thread. */
async function parentOf(reader: Pick<ThreadReader, "has">, run: ReadRun, ahead: Ahead): Promise<Parent> {
  const said = run.log?.begin.parent;
  return said === undefined ? lastCompleted(reader, run, ahead) : ifThere(reader, said, ahead);
}

/** What was pruned or compacted cannot be looked up by whoever follows its id. */
async function ifThere(reader: Pick<ThreadReader, "has">, id: string, ahead: Ahead): Promise<Parent> {
  const runId = id.slice(0, id.lastIndexOf(":"));
  const isThere = ahead.knows(runId) ?? (await reader.has(runId));
  return isThere ? { id, gap: false } : { id: null, gap: true };
}

async function lastCompleted(reader: Pick<ThreadReader, "has">, { made }: ReadRun, ahead: Ahead): Promise<Parent> {
  if (made === 0) return orphan;
  const before = await ahead.find(({ row }) => row.status === "completed");
  const log = before?.log ?? null;
  if (before === undefined || log === null || madeOf(log.board) !== made) return { id: null, gap: true };
  const own = boundaries(log).length;
  if (own > 0) return { id: idOf(before, own - 1), gap: false };
  return log.begin.parent === undefined ? orphan : ifThere(reader, log.begin.parent, ahead);
}

/** Looks at runs before it is their turn. */
class Ahead {
  readonly #runs: AsyncIterator<ReadRun>;
  readonly #read: ReadRun[] = [];
  /** Why no more can be read: told to whoever wants more, and not to who only looks for a parent. */
  #broken: unknown = undefined;

  constructor(runs: AsyncIterable<ReadRun>) {
    this.#runs = runs[Symbol.asyncIterator]();
  }

  async next(): Promise<ReadRun | undefined> {
    const read = this.#read.shift();
    if (read !== undefined) return read;
    if (this.#broken !== undefined) throw this.#broken;
    return this.#more();
  }

  /** Whether the checkpoints of that run can be read; undefined: it was not looked at yet. */
  knows(runId: string): boolean | undefined {
    const known = this.#read.find(({ row }) => row.id === runId);
    return known === undefined ? undefined : known.log !== null;
  }

  async find(isWanted: (run: ReadRun) => boolean): Promise<ReadRun | undefined> {
    const known = this.#read.find(isWanted);
    if (known !== undefined) return known;
    try {
      for (let run = await this.#more(); run !== undefined; run = await this.#more()) {
        this.#read.push(run);
        if (isWanted(run)) return run;
      }
    } catch (error) {
      this.#broken = error;
    }
    return undefined;
  }

  async #more(): Promise<ReadRun | undefined> {
    const { value, done } = await this.#runs.next();
    return done === true ? undefined : value;
  }
}

function idOf({ row }: ReadRun, at: number): string {
  return `${row.id}:${at}`;
}

function kept(
  run: ReadRun,
  boundary: Boundary,
  at: number,
  { id: parent, gap }: Parent,
  later: ReadonlyMap<string, readonly (readonly PendingTask[])[]>,
): Kept {
  const id = idOf(run, at);
  const { id: runId, thread, createdAt } = run.row;
  const { recordSeq } = boundary;
  const by = run.log?.begin.by;
  const pending = (later.get(id) ?? []).toReversed().reduce(joined, boundary.pending);
  return {
    boundary,
    checkpoint: {
      thread: thread ?? "",
      id,
      parent,
      ...(gap && { gap }),
      seq: madeOf(boundary.board) - 1,
      runId,
      recordSeq,
      createdAt,
      ...(by !== undefined && { by }),
      ...publicOf(boundary),
      pending,
    },
  };
}

/** What a task failed with, and what it asked, stays to be seen when it was run again. */
function joined(before: readonly PendingTask[], after: readonly PendingTask[]): readonly PendingTask[] {
  return after.map((task, at) => {
    const { error, asked = [] } = before[at] ?? {};
    const questions = task.asked === undefined ? asked : withPayloads(task.asked, asked);
    return { ...(error !== undefined && { error }), ...task, ...(questions.length > 0 && { asked: questions }) };
  });
}

/** The run that goes on knows answers only: what was asked stands in the run before. */
function withPayloads(after: readonly AskedQuestion[], before: readonly AskedQuestion[]): readonly AskedQuestion[] {
  const known = [...before];
  return after.map((one) => {
    const at = known.findIndex(({ question }) => question === one.question);
    return at < 0 ? one : { ...one, payload: known.splice(at, 1)[0]!.payload };
  });
}
