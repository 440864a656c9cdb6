/** The checkpoints of a thread out of its runs. */
import type { AskedQuestion, Checkpoint, PendingTask } from "./checkpoint.ts";
import { boundaries, pendingBefore, publicOf, type Boundary } from "./checkpoints.ts";
import { madeOf } from "./board.ts";
import type { ReadRun } from "./thread-reader.ts";

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
export async function* checkpointsOf(runs: AsyncIterable<ReadRun>): AsyncGenerator<Kept> {
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
    const parent = log.begin.parent === undefined ? await parentOf(run, ahead) : { id: log.begin.parent, gap: false };
    if (own.length > 0) yield kept(run, own[0]!, 0, parent, later);
    if (before !== undefined && parent.id !== null) later.set(parent.id, [...(later.get(parent.id) ?? []), before]);
  }
}

/** Where the last run that completed left the thread. */
async function parentOf({ made }: ReadRun, ahead: Ahead): Promise<Parent> {
  if (made === 0) return { id: null, gap: false };
  const before = await ahead.find(({ row }) => row.status === "completed");
  const log = before?.log ?? null;
  if (before === undefined || log === null || madeOf(log.board) !== made) return { id: null, gap: true };
  const own = boundaries(log).length;
  return { id: own > 0 ? idOf(before, own - 1) : (log.begin.parent ?? null), gap: false };
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
