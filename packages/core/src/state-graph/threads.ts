/** Threads of a state graph: their checkpoints, and turns that go on from any of them. */
import { parseDuration } from "../base/duration.ts";
import { errorOf, MillraceError } from "../base/error.ts";
import { checkCount } from "../build/options.ts";
import { planOf } from "../build/plan-of.ts";
import type { DeleteThreadOptions, Engine, Handle } from "../engine/api.ts";
import { checkThread } from "../engine/options.ts";
import type { RunStream } from "../engine/stream/events.ts";
import type { Interrupt } from "../events/interrupt.ts";
import type { RunRow } from "../ports/backend.ts";
import type { Checkpoint, ThreadState } from "./checkpoint.ts";
import { unlessBusy } from "./busy-thread.ts";
import { programBehind } from "./compiled.ts";
import { graphModes, graphStream, runOptions } from "./event-stream.ts";
import type { GraphEvent, GraphEventsOptions } from "./graph-events.ts";
import { headOf, isCarried, pageOf, placeOf, standingOf } from "./thread-places.ts";
import { ThreadReader } from "./thread-reader.ts";
import type { Program } from "./shape.ts";
import type { StateGraph } from "./state-graph.ts";
import { checkTarget } from "./task.ts";
import {
  checkAnswerOptions,
  checkEventsOptions,
  checkPage,
  checkTurnOptions,
  checkUpdateOptions,
  type CheckpointsOptions,
  type TurnOptions,
  type UpdateOptions,
} from "./thread-options.ts";
import { inLine, refuseBusy, unlessMoved } from "./thread-rivals.ts";
import { turnFrom } from "./thread-turns.ts";
import { ThreadUpdates } from "./thread-updates.ts";
import { goingOn, TurnRequest } from "./turn.ts";
import { shownOrThrown } from "./unshown.ts";
import { written } from "./update-rehearsal.ts";

/** The threads of one state graph. */
export interface Threads<S, U, N extends string = string> {
  /**
   * Begins a turn with an input, or goes on without: after an update, from a checkpoint, past a breakpoint, or again with the
   * tasks that failed; those that had finished beside them are not run again. A thread that waits for an answer, or is being run, is refused
   * as `ThreadBusy`. One that waits at a breakpoint goes on with the run it has, which no option can change.
   */
  start(thread: string, input: U | null, options?: TurnOptions): Promise<Handle<S>>;
  /** Begins a turn as `start` does, and gives what becomes of it. */
  stream(
    thread: string,
    input: U | null,
    options?: TurnOptions & Pick<GraphEventsOptions, "cancelOnBreak" | "buffer">,
  ): Promise<RunStream<GraphEvent<S, U, N>>>;
  /**
   * What becomes of a run of the graph, as it happens: who comes later is first given what was, from the journal. Of a run that
   * another engine drives, what is recorded is told: what bodies told comes when they are through. It ends with `interrupted` or
   * `ended`; of a run that goes on when it was answered, read on with `after`. Reading slows nothing down.
   *
   * @throws MillraceError `RunNotFound`, and what streams of runs throw
   */
  events(run: string | Handle<S>, options?: GraphEventsOptions): Promise<RunStream<GraphEvent<S, U, N>>>;
  /**
   * Undefined: there is no such thread. Where the newest turn cannot be read it gives what the thread carries, with `unreadable`.
   *
   * @throws MillraceError `UnreadableCheckpoint` when the newest turn did not complete and was compacted
   */
  state(thread: string): Promise<ThreadState<S> | undefined>;
  /**
   * Every boundary of every turn of the thread. Only as many runs are read as the page needs.
   *
   * @throws MillraceError `NoSuchCheckpoint`; `UnreadableCheckpoint` when it comes to a run of another version of the graph, or of other reducers
   */
  history(thread: string, options?: CheckpointsOptions): Promise<readonly Checkpoint<S>[]>;
  /**
   * Writes into a thread at rest: a checkpoint of its own. Where a task failed, what others of its superstep had given stands; with
   * `asNode` of one that failed, the update takes the place of what that would have given. It is folded before there is a run of it:
   * one that is refused changes nothing, and what the thread asks stays open. Branches are asked by its run alone: what they say may
   * cost something, and is recorded. Of several updates at once, by whichever engines, all are made, in some order; one beside a turn that
   * is being run waits a little (`wait`).
   *
   * @throws MillraceError `UnknownField`, `InvalidValue`, `InvalidOption`, `Unencodable`, `ReducerThrew`, `UnknownNode`, `NoSuchCheckpoint`,
   * `ThreadBusy`, `ThreadMoved`
   */
  update(thread: string, update: U, options?: UpdateOptions): Promise<Checkpoint<S>>;
  /** Answers a question of the thread's newest run; resolves when that is durable. */
  answer(thread: string, question: string, value: unknown, options?: { readonly by?: string }): Promise<Handle<S>>;
  /** Deletes the thread, with all its runs, also those of other graphs: `engine.deleteThread`. How many runs that were. */
  delete(thread: string, options?: DeleteThreadOptions): Promise<number>;
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
export function threadsOf<S, U, N extends string = string>(
  engine: Engine,
  graph: StateGraph<S, U, N>,
): Threads<S, U, N> {
  const program = programBehind(graph);
  if (program === undefined) throw errorOf("NotAStateGraph", {});
  const { name, fingerprint } = planOf(graph);
  // Whoever answered or started a run here would wait for it in vain, after a crash too.
  if (!engine.graphs.some((known) => known.name === name && known.fingerprint === fingerprint))
    throw errorOf("GraphNotOpened", { graph: name });
  return new StateThreads(engine, graph as StateGraph<unknown, unknown>, program) as unknown as Threads<S, U, N>;
}

class StateThreads {
  readonly #engine: Engine;
  readonly #graph: StateGraph<unknown, unknown>;
  readonly #program: Program;
  readonly #reader: ThreadReader;
  readonly #updates: ThreadUpdates;

  constructor(engine: Engine, graph: StateGraph<unknown, unknown>, program: Program) {
    this.#engine = engine;
    this.#graph = graph;
    this.#program = program;
    this.#reader = new ThreadReader(engine, graph, program);
    this.#updates = new ThreadUpdates(engine, graph, program, this.#reader);
  }

  async start(thread: string, input: unknown, options: TurnOptions = {}): Promise<Handle<unknown>> {
    checkTurnOptions(options);
    const checked = input === null ? null : this.#program.shape.model.check("the input", input);
    return unlessMoved(() => this.#start(checkThread(thread), checked, options));
  }

  /** `input`: checked, or null. */
  async #start(thread: string, input: unknown, { at, limit, ...run }: TurnOptions): Promise<Handle<unknown>> {
    if (limit !== undefined) checkCount("start() of a thread", "limit", limit);
    const { own, last } = await this.#reader.newest(thread);
    if (own?.status === "interrupted" && input === null && at === undefined)
      return this.#goPastPause(thread, own, { limit, ...run });
    refuseBusy(thread, last);
    const request = await this.#requestOf(thread, { input, at, limit }, own);
    return this.#engine.start(this.#graph, request, { ...run, thread, follows: last?.id ?? null });
  }

  async stream(
    thread: string,
    input: unknown,
    { cancelOnBreak, buffer, ...turn }: TurnOptions & Pick<GraphEventsOptions, "cancelOnBreak" | "buffer"> = {},
  ): Promise<RunStream<GraphEvent>> {
    const options = { ...(cancelOnBreak !== undefined && { cancelOnBreak }), ...(buffer !== undefined && { buffer }) };
    return this.events(await this.start(thread, input, turn), options);
  }

  async events(run: string | Handle<unknown>, options: GraphEventsOptions = {}): Promise<RunStream<GraphEvent>> {
    checkEventsOptions(options);
    if (typeof run === "string") await this.#refuseOther(run);
    const events = await this.#engine.stream(run, graphModes, runOptions(options));
    return graphStream(this.#program, events, options.after);
  }

  /** Of other graphs there are no events: a reader would wait for some in vain. */
  async #refuseOther(runId: string): Promise<void> {
    const { name: graph } = planOf(this.#graph);
    const info = await this.#engine.get(runId);
    if (info !== undefined && info.graph !== graph)
      throw errorOf("RunNotFound.graph", { runId, theirs: info.graph, graph });
  }

  /** Of a turn that goes on where the last one ended only what it was asked for: the thread has the rest. */
  async #requestOf(
    thread: string,
    {
      input,
      at,
      limit,
    }: { readonly input: unknown; readonly at: string | undefined; readonly limit: number | undefined },
    newest: RunRow | undefined,
  ): Promise<TurnRequest> {
    const { shape } = this.#program;
    const isAtRest = at === undefined && (await isCarried(this.#reader, thread, newest, input !== null));
    const head = isAtRest ? undefined : await headOf(this.#reader, thread);
    const from = at === undefined ? head : await placeOf(this.#reader, thread, at, head);
    if (from !== undefined) return new TurnRequest(turnFrom(shape, from, input, limit));
    if (input === null) goingOn(shape, { board: await this.#reader.carried(thread), given: [] }, 1);
    return new TurnRequest({
      ...(input !== null && { input, checked: true }),
      ...(limit !== undefined && { limit }),
    });
  }

  /** A thread that only waits at a breakpoint goes on; one that asks stays as it is. */
  async #goPastPause(thread: string, { id }: RunRow, options: object): Promise<Handle<unknown>> {
    const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : name));
    if (given.length > 0)
      throw new MillraceError(
        "InvalidOption",
        `thread "${thread}" waits with run ${id}, which ${given.join(", ")} cannot change`,
        {
          hint: "leave that out, or update the thread first: then a run of its own goes on",
        },
      );
    const info = await this.#engine.get(id);
    const pause = info?.interrupts.find(({ node }) => node.endsWith("breakpoint/then/pause"));
    return pause === undefined ? this.#engine.resume(id) : this.#engine.answer(id, pause.id, null);
  }

  async state(thread: string): Promise<ThreadState | undefined> {
    const { own } = await this.#reader.newest(checkThread(thread));
    const standing = own === undefined ? undefined : await standingOf(this.#reader, thread, own);
    if (standing === undefined || own === undefined) return undefined;
    const { checkpoint, unreadable } = standing;
    const info = await this.#engine.get(own.id);
    const status = statusOf(own);
    return {
      ...shownOrThrown(checkpoint),
      ...(unreadable !== undefined && { unreadable }),
      status,
      errors: info?.errors ?? [],
      interrupts: info?.interrupts ?? [],
    };
  }

  async history(thread: string, options: CheckpointsOptions = {}): Promise<readonly Checkpoint[]> {
    const page = await pageOf(this.#reader, checkThread(thread), checkPage(options));
    return page.map(shownOrThrown);
  }

  async update(thread: string, update: unknown, options: UpdateOptions = {}): Promise<Checkpoint> {
    const { shape } = this.#program;
    const { asNode, at, by, labels, wait = "1s" } = checkUpdateOptions(options);
    if (asNode !== undefined) checkTarget(shape, { name: "an update", routed: null }, asNode);
    const write = written(shape, update);
    return inLine(this.#engine, checkThread(thread), async () => {
      const begin = (): Promise<Handle<unknown>> => this.#updates.begin(thread, { write, asNode, at, by, labels });
      const handle = await unlessBusy(this.#engine, thread, parseDuration(wait, "wait"), () => unlessMoved(begin));
      await handle.output();
      return (await placeOf(this.#reader, thread, `${handle.runId}:0`, undefined)).checkpoint;
    });
  }

  async answer(
    thread: string,
    question: string,
    value: unknown,
    options: { by?: string } = {},
  ): Promise<Handle<unknown>> {
    checkAnswerOptions(options);
    const { own: newest } = await this.#reader.newest(checkThread(thread));
    if (newest === undefined) throw errorOf("NoSuchThread", { thread });
    const info = await this.#engine.get(newest.id);
    const named = info?.interrupts.filter(({ node }) => node.endsWith(`/${question}`)) ?? [];
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(", ");
      throw errorOf("AmbiguousInterrupt", { count: named.length, runId: newest.id, which: question, ids });
    }
    refuseUnasked(thread, newest, info?.interrupts ?? [], question);
    return this.#engine.answer(newest.id, named[0]?.id ?? question, value, options);
  }

  delete(thread: string, options: DeleteThreadOptions = {}): Promise<number> {
    return this.#engine.deleteThread(thread, options);
  }
}

/** A run that is being run may have asked by now, and one that has ended is told as such: that the engine knows. */
function refuseUnasked(thread: string, run: RunRow, open: readonly Interrupt[], which: string): void {
  const { id: runId, status } = run;
  if (status !== "interrupted") return;
  if (open.length === 0) throw errorOf("InterruptNotFound.thread", { thread, which, runId, status });
  if (open.some(({ id, node, path }) => id === which || path === which || node === which || node.endsWith(`/${which}`)))
    return;
  const questions = open.map(({ node }) => node.slice(node.lastIndexOf("/") + 1)).join(", ");
  throw errorOf("InterruptNotFound.threadOther", { thread, which, open: questions });
}

function statusOf({ status }: RunRow): ThreadState["status"] {
  if (status === "completed") return "idle";
  if (status === "interrupted" || status === "failed" || status === "cancelled" || status === "drained") return status;
  return "running";
}
