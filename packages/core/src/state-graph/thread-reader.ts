/** The runs of a thread, newest first, each with its supersteps: from what it really began with, and only as many as are asked for. */
import { describeError } from "../base/describe-error.ts";
import { errorOf, MillraceError } from "../base/error.ts";
import type { ErrorCode } from "../base/messages.generated.ts";
import { isSameData } from "../base/same-data.ts";
import { planOf } from "../build/plan-of.ts";
import type { Engine } from "../engine/api.ts";
import type { HistoryEntry } from "../engine/history-api.ts";
import type { RunRow } from "../ports/backend.ts";
import { canonicalAs } from "../journal/encode-as.ts";
import { emptyBoard, isOver, madeOf } from "./board.ts";
import type { Board } from "./board-data.ts";
import { foldVersion, statedVersion } from "./fold-version.ts";
import type { StateGraph } from "./state-graph.ts";
import type { Program } from "./shape.ts";
import type { StateModel } from "./state-def.ts";
import { TurnLog, type TurnRecord } from "./superstep-log.ts";
import { beginning, type RecordedInput } from "./turn.ts";

/** What is needed of a run to read it. */
export type RunPlace = Pick<RunRow, "id" | "thread" | "status" | "fingerprint" | "carriedUpTo" | "createdAt">;

export interface ReadRun {
  readonly row: RunPlace;
  /** Null: it could not begin, was an update that could not be folded, or its records are gone. */
  readonly log: TurnLog | null;
  /** Its records are gone: it was compacted. */
  readonly isGone: boolean;
  /** Checkpoints of the thread that the run before it left, as far as it knows. */
  readonly made: number;
}

/** Rows per look. */
const page = 50;

export class ThreadReader {
  readonly engine: Engine;
  readonly #graph: StateGraph<unknown, unknown>;
  readonly #program: Program;
  readonly #fingerprint: string;
  readonly #fold: string;

  constructor(engine: Engine, graph: StateGraph<unknown, unknown>, program: Program) {
    this.engine = engine;
    this.#graph = graph;
    this.#program = program;
    this.#fingerprint = planOf(graph).fingerprint;
    this.#fold = foldVersion(program.shape);
  }

  /** The newest run of the thread whose graph this is, and the newest of all: other graphs may have runs in it. */
  async newest(thread: string): Promise<{ readonly own: RunRow | undefined; readonly last: RunRow | undefined }> {
    const [last] = await this.engine.list({ thread, limit: 1 });
    if (last === undefined || last.graph === this.#graph.name) return { own: last, last };
    const [own] = await this.engine.list({ thread, graph: this.#graph.name, limit: 1 });
    return { own, last };
  }

  get model(): StateModel {
    return this.#program.shape.model;
  }

  /** Only those of this version can be read. */
  isSameVersion({ fingerprint }: Pick<RunPlace, "fingerprint">): boolean {
    return fingerprint === this.#fingerprint;
  }

  /** Whether the run is there, with all its records. */
  async has(runId: string): Promise<boolean> {
    try {
      for await (const _ of this.engine.history(runId, { limit: 1, blobs: false })) return true;
      return false;
    } catch (error) {
      if (isGone(error) || isError(error, "RunNotFound")) return false;
      throw error;
    }
  }

  /** Undefined: it is none of the thread, or of another graph. */
  async find(thread: string, runId: string): Promise<RunPlace | undefined> {
    const info = await this.engine.get(runId);
    return info?.thread === thread && info.graph === this.#graph.name ? info : undefined;
  }

  /** `from`: that run and those before it. */
  async *rows(thread: string, from?: RunPlace): AsyncGenerator<RunRow> {
    const seen = new Set<string>();
    let carriedUntil = from?.carriedUpTo ?? Number.MAX_SAFE_INTEGER;
    let isBehind = from !== undefined;
    for (let limit = page; ;) {
      const rows = await this.engine.list({ thread, graph: this.#graph.name, carriedUntil, limit });
      const more = rows.filter(({ id }) => !seen.has(id));
      for (const row of more) {
        seen.add(row.id);
        isBehind &&= row.id !== from?.id;
        if (!isBehind) yield row;
      }
      if (rows.length < limit) return;
      carriedUntil = rows.at(-1)?.carriedUpTo ?? 0;
      // More runs than a page began with the same row.
      if (more.length === 0) limit *= 2;
    }
  }

  async *runs(thread: string, from?: RunPlace): AsyncGenerator<ReadRun> {
    for await (const row of this.rows(thread, from)) yield await this.read(row);
  }

  /** What the thread carries of this graph, or carried when `upTo` was its last row. */
  async carried(thread: string, upTo?: number): Promise<Board> {
    const { shape } = this.#program;
    const cells = await this.engine.carried(thread, upTo);
    return Object.hasOwn(cells, shape.name) ? (cells[shape.name] as Board) : emptyBoard(shape);
  }

  /** @throws MillraceError `UnreadableCheckpoint` when another version of the graph made it */
  async read(row: RunPlace): Promise<ReadRun> {
    const thread = row.thread ?? "";
    if (!this.isSameVersion(row)) throw await this.#otherVersion(row, thread);
    try {
      return await this.#read(row, thread);
    } catch (error) {
      if (!isGone(error)) throw error;
      return { row, log: null, isGone: true, made: 0 };
    }
  }

  /** By what both state, if that is what differs; else by their fingerprints. */
  async #otherVersion({ id: runId, fingerprint }: RunPlace, thread: string): Promise<MillraceError> {
    const names = { thread, runId, graph: this.#graph.name };
    const ours = statedVersion(this.#program.shape);
    const theirs = await this.#statedBy(runId);
    return ours === theirs || theirs === null
      ? errorOf("UnreadableCheckpoint", { ...names, theirs: fingerprint, ours: this.#fingerprint })
      : errorOf("UnreadableCheckpoint.version", { ...names, theirs: theirs ?? "none", ours: ours ?? "none" });
  }

  /** Null: that is not at hand. */
  async #statedBy(runId: string): Promise<string | undefined | null> {
    try {
      for await (const { large, value } of this.engine.history(runId, { limit: 1, blobs: false }))
        return large === true ? null : (value as RecordedInput).version;
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    return null;
  }

  /** What stands apart, the thread among it, is read where that is needed: mostly the thread is known already. */
  async #read(row: RunPlace, thread: string): Promise<ReadRun> {
    return (await this.#readWith(row, thread, false)) ?? (await this.#readWith(row, thread, true))!;
  }

  /** Null: without what stands apart it cannot be read. */
  async #readWith(row: RunPlace, thread: string, blobs: boolean): Promise<ReadRun | null> {
    let log: TurnLog | null = null;
    let made = 0;
    for await (const entry of this.engine.history(row.id, { blobs })) {
      if (entry.kind === "started" && entry.large !== true)
        ({ made, log } = await this.#begun(entry.value as RecordedInput, row, thread));
      else if (entry.kind === "ended") {
        if (!(await this.#isCompared(log, entry, row))) return null;
      } else if (entry.large === true) return null;
      else if (entry.node !== undefined && entry.items !== undefined) this.#take(log, entry, row);
    }
    return { row, log: log?.isVoid === true ? null : log, isGone: false, made };
  }

  async #begun(input: RecordedInput, row: RunPlace, thread: string): Promise<Pick<ReadRun, "made" | "log">> {
    const carried = isWhole(input) ? input.turn.board : await this.carried(thread, row.carriedUpTo ?? 0);
    return { made: madeOf(carried), log: await this.#logFrom(carried, input, row) };
  }

  /** False: what it came to is not at hand. @throws MillraceError `UnreadableCheckpoint` when it is something else */
  async #isCompared(log: TurnLog | null, { status, large, value }: HistoryEntry, row: RunPlace): Promise<boolean> {
    if (status !== "completed") return true;
    if (large === true) return this.#isCarried(log, row);
    this.#checkEnd(log, value, row);
    return true;
  }

  /** Whether the next row of its thread, which must be the one it left, says what its records fold to. */
  async #isCarried(log: TurnLog | null, { thread, carriedUpTo }: RunPlace): Promise<boolean> {
    try {
      const board = await this.carried(thread ?? "", (carriedUpTo ?? 0) + 1);
      return log !== null && isSameData(board, log.board, isSameText);
    } catch (error) {
      // It left none: then its own end says what it came to.
      if (isError(error, "JournalCorrupt")) return false;
      throw error;
    }
  }

  #take(log: TurnLog | null, entry: TurnRecord, { id, thread }: RunPlace): void {
    const misfit = log?.take(entry, entry.node ?? "", entry.items ?? []);
    if (misfit === undefined || misfit === null) return;
    const { graph, ...names } = { graph: this.#graph.name, ...misfit };
    throw errorOf("UnreadableCheckpoint.node", { thread: thread ?? "", runId: id, graph, seq: entry.seq, ...names });
  }

  async #logFrom(carried: Board, input: RecordedInput, row: RunPlace): Promise<TurnLog | null> {
    // What completed is compared with what it came to, whatever the texts of its reducers were.
    const isOther = row.status !== "completed" && input.fold !== undefined && input.fold !== this.#fold;
    if (isOther) throw this.#otherReducers(row);
    try {
      return new TurnLog(this.#program, beginning(this.#program.shape, carried, input));
    } catch (error) {
      if (await this.#failedWith(error, row)) return null;
      const { message } = describeError(error);
      const { graph, ...names } = { graph: this.#graph.name, thread: row.thread ?? "", runId: row.id, message };
      throw errorOf("UnreadableCheckpoint.begin", { graph, ...names }, error);
    }
  }

  /** A turn that cannot begin fails by that, and its result says so. One that did begin once is another matter. */
  async #failedWith(error: unknown, { id, status }: RunPlace): Promise<boolean> {
    if (status === "completed" || status === "interrupted") return false;
    const errors = (await this.engine.get(id))?.errors ?? [];
    const { message } = describeError(error);
    return status !== "failed" || errors.some((failure) => failure.message.includes(message));
  }

  /** What the fold of its records comes to is what the run came to; else it is made up. */
  #checkEnd(log: TurnLog | null, output: unknown, row: RunPlace): void {
    if (log === null) return;
    const { board } = log;
    if (!isOver(board) || !isSameData(this.model.view(board.state), output, isSameText)) throw this.#otherReducers(row);
  }

  #otherReducers({ id: runId, thread }: RunPlace): MillraceError {
    return errorOf("UnreadableCheckpoint.reducers", { thread: thread ?? "", runId, graph: this.#graph.name });
  }
}

function isSameText(left: unknown, right: unknown): boolean {
  return canonicalAs("the state", left) === canonicalAs("the output", right);
}

function isGone(error: unknown): boolean {
  return isError(error, "HistoryCompacted");
}

function isError(error: unknown, code: ErrorCode): boolean {
  return error instanceof MillraceError && error.code === code;
}

function isWhole(input: RecordedInput): input is { readonly turn: { readonly board: Board } & TurnLog["begin"] } {
  return "turn" in input && "board" in input.turn;
}
