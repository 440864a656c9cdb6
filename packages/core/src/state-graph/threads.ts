/** Threads of a state graph: their checkpoints, and turns that go on from any of them. */
import { errorOf } from "../base/error.ts";
import type { Engine, Handle, RunOptions } from "../engine/api.ts";
import { checkThread } from "../engine/options.ts";
import { checkCount } from "../build/options.ts";
import type { RunRow } from "../ports/backend.ts";
import { emptyBoard } from "./board.ts";
import type { Board } from "./board-data.ts";
import type { AskedQuestion, Checkpoint, PendingTask, ThreadState } from "./checkpoint.ts";
import { boundaries, pendingBefore, publicOf, type Boundary } from "./checkpoints.ts";
import { programBehind } from "./compiled.ts";
import type { Program } from "./shape.ts";
import { checkTarget } from "./task.ts";
import type { StateGraph } from "./state-graph.ts";
import { TurnLog } from "./superstep-log.ts";
import { beginning, goingOn, newTurn, TurnRequest, type RecordedInput, type Turn } from "./turn.ts";
import { START_NAME } from "./names.ts";

/** How a turn begins. */
export interface TurnOptions extends Pick<RunOptions, "id" | "signal" | "context" | "labels" | "traceId"> {
  /** A checkpoint to go on from, by its id. Default: the newest of the thread. */
  readonly at?: string;
  /** Most supersteps of this turn. Default: the graph's. */
  readonly limit?: number;
}

export interface UpdateOptions<N extends string = string> {
  /**
   * The node in whose name the update is made: what follows that one runs next. Default: those whose superstep ended with the
   * checkpoint.
   */
  readonly asNode?: N;
  /** A checkpoint to write on, by its id. Default: the newest of the thread. */
  readonly at?: string;
}

export interface CheckpointsOptions {
  /** At most so many. Default 100. */
  readonly limit?: number;
  /** Only those made before this one, by its id; with `order: "oldest"`, after it. */
  readonly before?: string;
  /** Default `newest`. */
  readonly order?: "newest" | "oldest";
}

/** The threads of one state graph. */
export interface Threads<S, U> {
  /**
   * Begins a turn with an input, or goes on without: after an update, from a checkpoint, past a breakpoint, or again with the
   * tasks that failed; those that had finished beside them are not run again. A thread that waits for an answer, or is being run, is refused
   * as `ThreadBusy`.
   */
  start(thread: string, input: U | null, options?: TurnOptions): Promise<Handle<S>>;
  /** Undefined: there is no such thread. */
  state(thread: string): Promise<ThreadState<S> | undefined>;
  /** Every boundary of every turn of the thread. */
  history(thread: string, options?: CheckpointsOptions): Promise<readonly Checkpoint<S>[]>;
  /** Writes into a thread at rest: a checkpoint of its own. */
  update(thread: string, update: U, options?: UpdateOptions): Promise<Checkpoint<S>>;
  /** Answers a question of the thread's newest run; resolves when that is durable. */
  answer(thread: string, question: string, value: unknown, options?: { readonly by?: string }): Promise<Handle<S>>;
}

/**
 * The threads of a state graph in an engine with a backend. The graph must be one of the engine's `graphs`.
 *
 * ```ts
 * const threads = threadsOf(engine, agent);
 * await (await threads.start("customer-17", { messages: question })).output();
 * const [newest] = await threads.history("customer-17");
 * ```
 */
export function threadsOf<S, U>(engine: Engine, graph: StateGraph<S, U>): Threads<S, U> {
  const program = programBehind(graph);
  if (program === undefined) throw errorOf("NotAStateGraph", {});
  return new StateThreads(engine, graph as StateGraph<unknown, unknown>, program) as unknown as Threads<S, U>;
}

interface Kept {
  /** The newest of its thread. */
  readonly isHead: boolean;
  readonly checkpoint: Checkpoint;
  readonly boundary: Boundary;
}

class StateThreads {
  readonly #engine: Engine;
  readonly #graph: StateGraph<unknown, unknown>;
  readonly #program: Program;

  constructor(engine: Engine, graph: StateGraph<unknown, unknown>, program: Program) {
    this.#engine = engine;
    this.#graph = graph;
    this.#program = program;
  }

  async start(thread: string, input: unknown, { at, limit, ...options }: TurnOptions = {}): Promise<Handle<unknown>> {
    if (limit !== undefined) checkCount("start() of a thread", "limit", limit);
    const newest = (await this.#runsOf(thread)).at(-1);
    if (newest?.status === "interrupted" && input === null && at === undefined) return this.#goPastPause(newest);
    const run = { ...options, thread };
    const isPlain = at === undefined && (newest === undefined || newest.status === "completed");
    if (input !== null) this.#program.shape.model.check("the input", input);
    if (isPlain) {
      if (input === null) await this.#checkLeft(thread);
      return this.#engine.start(this.#graph, plainInput(input, limit), run);
    }
    const turn = this.#turnFrom(await this.#find(thread, at), input, limit);
    return this.#engine.start(this.#graph, new TurnRequest(turn), run);
  }

  /** @throws MillraceError `NothingToRun` */
  async #checkLeft(thread: string): Promise<void> {
    const { [this.#program.shape.name]: board } = await this.#engine.carried(thread);
    goingOn(
      this.#program.shape,
      { board: (board as Board | undefined) ?? emptyBoard(this.#program.shape), given: [] },
      1,
    );
  }

  /** A thread that only waits at a breakpoint goes on; one that asks stays as it is. */
  async #goPastPause({ id }: RunRow): Promise<Handle<unknown>> {
    const info = await this.#engine.get(id);
    const pause = info?.interrupts.find(({ node }) => node.endsWith("breakpoint/then/pause"));
    return pause === undefined ? this.#engine.resume(id) : this.#engine.answer(id, pause.id, null);
  }

  #turnFrom({ boundary, checkpoint, isHead }: Kept, input: unknown, limit: number = this.#program.shape.limit): Turn {
    const { shape } = this.#program;
    // What had finished beside a task that failed is not run again; from an earlier checkpoint everything is.
    const { board, given } = boundary;
    const isStart = board.works[0]?.node === START_NAME;
    const left = isHead || isStart ? given : [];
    const turn =
      input === null ? goingOn(shape, { board, given: left }, limit) : newTurn(shape, boundary.board, input, limit);
    const forked = {
      ...turn,
      board: { ...turn.board, step: board.step + 1 },
      parent: checkpoint.id,
      fork: true as const,
    };
    return input === null && !isHead ? forked : { ...turn, parent: checkpoint.id };
  }

  async state(thread: string): Promise<ThreadState | undefined> {
    const all = await this.#all(thread);
    const last = all.kept.at(-1);
    if (last === undefined || all.newest === undefined) return undefined;
    const info = await this.#engine.get(all.newest.id);
    const status = statusOf(all.newest);
    return { ...last.checkpoint, status, errors: info?.errors ?? [], interrupts: info?.interrupts ?? [] };
  }

  async history(
    thread: string,
    { limit = 100, before, order = "newest" }: CheckpointsOptions = {},
  ): Promise<readonly Checkpoint[]> {
    const { kept } = await this.#all(thread);
    const all = kept.map(({ checkpoint }) => checkpoint);
    const ordered = order === "newest" ? all.toReversed() : all;
    const from = before === undefined ? 0 : ordered.findIndex(({ id }) => id === before) + 1;
    if (before !== undefined && from === 0) throw errorOf("NoSuchCheckpoint", { thread, id: before });
    return ordered.slice(from, from + limit);
  }

  async update(thread: string, update: unknown, { asNode, at }: UpdateOptions = {}): Promise<Checkpoint> {
    const { shape } = this.#program;
    if (asNode !== undefined) checkTarget(shape, { name: "an update", routed: null }, asNode);
    const write = shape.model.check("an update", update);
    const from = await this.#findAny(thread, at);
    await this.#giveUpWaiting(thread);
    const names = asNode === undefined ? (from?.checkpoint.writes.map(({ node }) => node) ?? []) : [asNode];
    const works = (names.length === 0 ? [START_NAME] : names).map((node) => ({ node }));
    const given = works.map((_, i) => ({ steps: i === 0 ? [{ write }] : [] }));
    const board = from?.boundary.board ?? { ...emptyBoard(shape), step: -1 };
    const { limit } = shape;
    const turn: Turn = {
      board: { ...board, works, limit, left: limit, stop: "" },
      given,
      once: true,
      ...(from !== undefined && { parent: from.checkpoint.id }),
    };
    const handle = await this.#engine.start(this.#graph, new TurnRequest(turn), { thread });
    await handle.output();
    return (await this.#all(thread)).kept.at(-1)!.checkpoint;
  }

  /** What a run asked is asked again by the turn that goes on after an update; its answer would come too late. */
  async #giveUpWaiting(thread: string): Promise<void> {
    const newest = (await this.#runsOf(thread)).at(-1);
    if (newest?.status === "interrupted") await this.#engine.cancel(newest.id, "the thread was updated");
  }

  async answer(
    thread: string,
    question: string,
    value: unknown,
    options: { by?: string } = {},
  ): Promise<Handle<unknown>> {
    const newest = (await this.#runsOf(thread)).at(-1);
    if (newest === undefined) throw errorOf("NoSuchThread", { thread });
    const info = await this.#engine.get(newest.id);
    const named = info?.interrupts.filter(({ node }) => node.endsWith(`/${question}`)) ?? [];
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(", ");
      throw errorOf("AmbiguousInterrupt", { count: named.length, runId: newest.id, which: question, ids });
    }
    return this.#engine.answer(newest.id, named[0]?.id ?? question, value, options);
  }

  /** That checkpoint, or the newest. */
  async #find(thread: string, at: string | undefined): Promise<Kept> {
    const found = await this.#findAny(thread, at);
    if (found === undefined) throw errorOf("NoSuchThread", { thread });
    return found;
  }

  /** Undefined: the thread has none yet. */
  async #findAny(thread: string, at: string | undefined): Promise<Kept | undefined> {
    const { kept } = await this.#all(thread);
    if (at === undefined) return kept.at(-1);
    const found = kept.find(({ checkpoint }) => checkpoint.id === at);
    if (found === undefined) throw errorOf("NoSuchCheckpoint", { thread, id: at });
    return found;
  }

  /** Oldest first. */
  async #runsOf(thread: string): Promise<readonly RunRow[]> {
    checkThread(thread);
    const runs = await this.#engine.list({ thread, graph: this.#graph.name, limit: 10_000 });
    return runs.toReversed();
  }

  async #all(thread: string): Promise<{ readonly kept: readonly Kept[]; readonly newest: RunRow | undefined }> {
    const runs = await this.#runsOf(thread);
    const kept: Kept[] = [];
    let carried: { board: Board; id: string | null } = { board: emptyBoard(this.#program.shape), id: null };
    for (const run of runs) {
      const log = await this.#logOf(run, carried.board);
      if (log === null) continue;
      const parent = log.begin.parent ?? carried.id;
      takeUpPending(kept, parent, log);
      const last = keep(kept, { thread, run, parent }, log);
      if (run.status === "completed") carried = { board: log.board, id: last };
    }
    return { kept: kept.map((one, at) => ({ ...one, isHead: at === kept.length - 1 })), newest: runs.at(-1) };
  }

  /** Null: the run could not begin. */
  async #logOf(run: RunRow, carried: Board): Promise<TurnLog | null> {
    let log: TurnLog | null = null;
    for await (const entry of this.#engine.history(run.id)) {
      if (entry.kind === "started") log = logFrom(this.#program, carried, entry.value as RecordedInput);
      else if (entry.node !== undefined && entry.items !== undefined) log?.take(entry, entry.node, entry.items);
    }
    return log;
  }
}

function logFrom(program: Program, carried: Board, input: RecordedInput): TurnLog | null {
  try {
    return new TurnLog(program, beginning(program.shape, carried, input));
  } catch {
    // The run failed with this very error, which its result has.
    return null;
  }
}

/** A run that goes on from a checkpoint has what became of its tasks. */
function takeUpPending(kept: Kept[], parent: string | null, log: TurnLog): void {
  const pending = pendingBefore(log);
  const at = kept.findIndex(({ checkpoint }) => checkpoint.id === parent);
  const before = kept[at];
  if (pending !== undefined && before !== undefined)
    kept[at] = { ...before, checkpoint: { ...before.checkpoint, pending: joined(before.checkpoint.pending, pending) } };
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

interface Origin {
  readonly thread: string;
  readonly run: RunRow;
  readonly parent: string | null;
}

/** The id of the last checkpoint. */
function keep(kept: Kept[], { thread, run, parent }: Origin, log: TurnLog): string | null {
  let last = parent;
  for (const [at, boundary] of boundaries(log).entries()) {
    const id = `${run.id}:${at}`;
    const seq = kept.length;
    const { recordSeq } = boundary;
    const place = { thread, id, parent: last, seq, runId: run.id, recordSeq, createdAt: run.createdAt };
    kept.push({ checkpoint: { ...place, ...publicOf(boundary) }, boundary, isHead: false });
    last = id;
  }
  return last;
}

function plainInput(input: unknown, limit: number | undefined): unknown {
  if (input !== null && limit === undefined) return input;
  return new TurnRequest({ ...(input !== null && { input }), ...(limit !== undefined && { limit }) });
}

function statusOf({ status }: RunRow): ThreadState["status"] {
  if (status === "completed") return "idle";
  if (status === "interrupted" || status === "failed" || status === "cancelled" || status === "drained") return status;
  return "running";
}
