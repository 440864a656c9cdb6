/** The runs of a thread, newest first, each with its supersteps: from what it really began with, and only as many as are asked for. */
import { errorOf, MillraceError } from "../base/error.ts";
import type { ErrorCode } from "../base/messages.generated.ts";
import { planOf } from "../build/plan-of.ts";
import type { Engine } from "../engine/api.ts";
import type { RunRow } from "../ports/backend.ts";
import { emptyBoard, madeOf } from "./board.ts";
import type { Board } from "./board-data.ts";
import type { StateGraph } from "./state-graph.ts";
import type { Program } from "./shape.ts";
import type { StateModel } from "./state-def.ts";
import { TurnLog, type TurnRecord } from "./superstep-log.ts";
import { beginning, type RecordedInput } from "./turn.ts";

/** What is needed of a run to read it. */
export type RunPlace = Pick<RunRow, "id" | "thread" | "status" | "fingerprint" | "carriedUpTo" | "createdAt">;

export interface ReadRun {
  readonly row: RunPlace;
  /** Null: it could not begin, or its records are gone. */
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

  constructor(engine: Engine, graph: StateGraph<unknown, unknown>, program: Program) {
    this.engine = engine;
    this.#graph = graph;
    this.#program = program;
    this.#fingerprint = planOf(graph).fingerprint;
  }

  /** The newest run of the thread whose graph this is, and the newest of all: other graphs may have runs in it. */
  async newest(thread: string): Promise<{ readonly own: RunRow | undefined; readonly any: RunRow | undefined }> {
    const [any] = await this.engine.list({ thread, limit: 1 });
    if (any === undefined || any.graph === this.#graph.name) return { own: any, any };
    const [own] = await this.engine.list({ thread, graph: this.#graph.name, limit: 1 });
    return { own, any };
  }

  get model(): StateModel {
    return this.#program.shape.model;
  }

  /**
   * Whether a turn that begins now begins with what the thread carries. What a turn of another version came to cannot be read: an input
   * begins anew with what the last that completed left.
   */
  isCarried(newest: RunRow | undefined, isInput: boolean): boolean {
    return newest === undefined || newest.status === "completed" || (isInput && !this.isSameVersion(newest));
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
    if (!this.isSameVersion(row))
      throw errorOf("UnreadableCheckpoint", {
        thread,
        runId: row.id,
        graph: this.#graph.name,
        theirs: row.fingerprint,
        ours: this.#fingerprint,
      });
    try {
      return await this.#read(row, thread);
    } catch (error) {
      if (!isGone(error)) throw error;
      return { row, log: null, isGone: true, made: 0 };
    }
  }

  async #read(row: RunPlace, thread: string): Promise<ReadRun> {
    let log: TurnLog | null = null;
    let made = 0;
    for await (const entry of this.engine.history(row.id)) {
      if (entry.kind === "started") {
        const input = entry.value as RecordedInput;
        const carried = isWhole(input) ? input.turn.board : await this.carried(thread, row.carriedUpTo ?? 0);
        made = madeOf(carried);
        log = this.#logFrom(carried, input);
      } else if (entry.node !== undefined && entry.items !== undefined) this.#take(log, entry, row);
    }
    return { row, log, isGone: false, made };
  }

  #take(log: TurnLog | null, entry: TurnRecord, { id, thread }: RunPlace): void {
    const misfit = log?.take(entry, entry.node ?? "", entry.items ?? []);
    if (misfit === undefined || misfit === null) return;
    const { graph, ...names } = { graph: this.#graph.name, ...misfit };
    throw errorOf("UnreadableCheckpoint.node", { thread: thread ?? "", runId: id, graph, seq: entry.seq, ...names });
  }

  #logFrom(carried: Board, input: RecordedInput): TurnLog | null {
    try {
      return new TurnLog(this.#program, beginning(this.#program.shape, carried, input));
    } catch {
      // The run failed with this very error, which its result has.
      return null;
    }
  }
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
