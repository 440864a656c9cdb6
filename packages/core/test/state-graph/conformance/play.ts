/** Makes the calls of a definition on Millrace and writes down what came of them, as vectors do. */
import {
  MillraceError,
  openEngine,
  threadsOf,
  type Backend,
  type Checkpoint,
  type Handle,
  type PendingTask,
  type Threads,
} from "../../../src/index.ts";
import type { Call, Definition, Operation } from "../../../../../conformance/langgraph/format/definition.ts";
import type { Json, Patch } from "../../../../../conformance/langgraph/format/json.ts";
import type {
  CallRecord,
  CheckpointRecord,
  ErrorRecord,
  HeadRecord,
  PendingRecord,
  Writes,
} from "../../../../../conformance/langgraph/format/vector.ts";
import { canonical, sorted } from "../../../../../conformance/langgraph/interpreter/canonical.ts";
import { reducerOf } from "../../../../../conformance/langgraph/interpreter/reducers.ts";
import { streamOf, type ReadSoFar, type Streamed } from "./events.ts";
import { graphOf, type Entered, type State } from "./build.ts";

/** What came of a call. */
export interface Called extends Omit<CallRecord, "steps" | "together"> {
  /** Absent of calls that run nothing. */
  readonly streamed?: readonly Streamed[];
  readonly together?: readonly Called[];
}

/** What is compared. */
export interface Played {
  readonly calls: readonly Called[];
  readonly history: Readonly<Record<string, readonly CheckpointRecord[]>>;
  readonly entered: Readonly<Record<string, number>>;
}

export async function play({ name, graph, script }: Definition, backend: Backend): Promise<Played> {
  const entered: Entered = {};
  const made = graphOf(name, graph, entered);
  const concurrency = script.flatMap((call) =>
    "run" in call && call.concurrency !== undefined ? [call.concurrency] : [],
  )[0];
  await using engine = await openEngine({
    backend,
    graphs: [made] as never,
    warn: () => undefined,
    ...(concurrency !== undefined && { runConcurrency: concurrency }),
  });
  const threads = threadsOf(engine, made);
  const calls: Called[] = [];
  const read: ReadSoFar = new Map();
  for (const call of script) {
    const before = { ...entered };
    const record = await callOn(threads, call, read);
    const head = await headOf(threads, call.thread ?? "main", folding(graph));
    calls.push({ ...record, entered: since(before, entered), ...(head !== undefined && { head }) });
  }
  const names = [...new Set(script.map(({ thread = "main" }) => thread))];
  const history: Record<string, readonly CheckpointRecord[]> = {};
  for (const thread of names) {
    const all = await threads.history(thread, { order: "oldest", limit: 10_000 });
    history[thread] = all.map((checkpoint) => recordOf(checkpoint, all));
  }
  return { calls, history, entered };
}

type Fold = (state: State, update: Patch) => State;

function folding({ fields }: Definition["graph"]): Fold {
  return (state, update) => ({
    ...state,
    ...Object.fromEntries(
      Object.entries(update).map(([field, value]) => [
        field,
        reducerOf(fields[field]!).reduce(state[field] as Json, value),
      ]),
    ),
  });
}

function since(before: Entered, after: Entered): Entered {
  return Object.fromEntries(
    Object.entries(after).flatMap(([path, count]) =>
      count === (before[path] ?? 0) ? [] : [[path, count - (before[path] ?? 0)]],
    ),
  );
}

async function callOn(threads: Threads<State, State>, call: Call, read: ReadSoFar): Promise<Called> {
  const { thread = "main" } = call;
  try {
    return await operate(threads, thread, call, read);
  } catch (error) {
    return {
      outcome: "refused",
      error: { kind: "Other", message: error instanceof MillraceError ? error.code : String(error) },
    };
  }
}

async function operate(
  threads: Threads<State, State>,
  thread: string,
  operation: Operation,
  read: ReadSoFar,
): Promise<Called> {
  if ("update" in operation) {
    const { update, asNode, at } = operation;
    const id = await idAt(threads, thread, at);
    await threads.update(thread, update, {
      ...(asNode !== undefined && { asNode }),
      ...(id !== undefined && { at: id }),
    });
    return { outcome: (await threads.state(thread))!.next.length === 0 ? "finished" : "paused" };
  }
  if ("together" in operation) {
    const together = await Promise.all(operation.together.map((one) => callOn(threads, { thread, ...one }, read)));
    return { outcome: worst(together), together: together.map(({ streamed: _streamed, ...one }) => one) };
  }
  if ("delete" in operation) {
    await threads.delete(thread);
    return { outcome: "finished" };
  }
  const handle = await begin(threads, thread, operation);
  const called = await resultOf(threads, thread, handle);
  return { ...called, streamed: await streamOf(threads, handle.runId, read) };
}

function worst(calls: readonly { readonly outcome: CallRecord["outcome"] }[]): CallRecord["outcome"] {
  const order = ["failed", "refused", "waiting", "paused", "finished"] as const;
  return order.find((outcome) => calls.some((call) => call.outcome === outcome)) ?? "finished";
}

async function begin(
  threads: Threads<State, State>,
  thread: string,
  operation: Exclude<Operation, { update: Patch } | { together: unknown } | { delete: true }>,
): Promise<Handle<State>> {
  if ("run" in operation || "proceed" in operation) {
    const { at, limit } = operation;
    const id = await idAt(threads, thread, at);
    const input = "run" in operation ? operation.run : null;
    return threads.start(thread, input, { ...(id !== undefined && { at: id }), ...(limit !== undefined && { limit }) });
  }
  const answers = "answers" in operation ? operation.answers : [operation];
  let handle: Handle<State> | undefined;
  for (const { answer, to } of answers as readonly { answer: Json; to?: Json }[]) {
    handle = await threads.answer(thread, await questionOf(threads, thread, to), answer);
  }
  return handle!;
}

/** The open question with that payload, by its id. */
async function questionOf(threads: Threads<State, State>, thread: string, to: Json | undefined): Promise<string> {
  if (to === undefined) return "question";
  const open = (await threads.state(thread))?.interrupts ?? [];
  return open.find(({ payload }) => canonical(payload as Json) === canonical(to))?.id ?? "question";
}

async function idAt(
  threads: Threads<State, State>,
  thread: string,
  at: number | undefined,
): Promise<string | undefined> {
  if (at === undefined) return undefined;
  const all = await threads.history(thread, { order: "oldest", limit: 10_000 });
  return all[at]!.id;
}

async function resultOf(threads: Threads<State, State>, thread: string, handle: Handle<State>): Promise<Called> {
  const result = await handle.result();
  if (result.status === "interrupted") {
    const isPause = result.interrupts.every(({ node }) => node.endsWith("/pause"));
    return { outcome: isPause ? "paused" : "waiting" };
  }
  if (result.status === "completed") {
    const { next } = (await threads.state(thread))!;
    return { outcome: next.length === 0 ? "finished" : "paused" };
  }
  return { outcome: "failed", error: errorOf(result.errors) };
}

function errorOf(errors: readonly { readonly code: string; readonly message: string }[]): ErrorRecord {
  const [first] = errors;
  if (first?.code === "StepLimit") return { kind: "StepLimit" };
  return { kind: "NodeFailed", message: first?.message ?? "" };
}

async function headOf(threads: Threads<State, State>, thread: string, fold: Fold): Promise<HeadRecord | undefined> {
  const all = await threads.history(thread, { order: "oldest", limit: 10_000 });
  const head = all.at(-1);
  if (head === undefined) return undefined;
  const isOpen = ({ asked = [] }: PendingTask): boolean => asked.some((question) => !("answer" in question));
  // LangGraph shows the newest checkpoint with what has finished since; Millrace shows that beside it, as pending.
  const record = recordOf(head, all);
  const left = head.pending.filter(({ wrote }) => wrote === undefined);
  const values = head.pending.flatMap(({ wrote = [] }) => wrote as readonly Patch[]).reduce(fold, head.state);
  return {
    ...record,
    values: valuesOf(values),
    next: sorted(left.map(({ node }) => nodeName(node))),
    waiting: head.pending.some(isOpen),
  };
}

function recordOf(checkpoint: Checkpoint<State>, all: readonly Checkpoint<State>[]): CheckpointRecord {
  const { seq, parent, step, source, state, next, pending } = checkpoint;
  const at = all.findIndex(({ id }) => id === parent);
  return {
    seq,
    parent: at < 0 ? null : at,
    step,
    source: source === "superstep" ? "loop" : source,
    values: valuesOf(state),
    next: sorted(next.map(nodeName)),
    pending: sorted(pending.map(pendingOf)),
  };
}

function nodeName(name: string): string {
  return name === "$start" ? "__start__" : name;
}

function valuesOf(state: State): Patch {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined)) as Patch;
}

function pendingOf({ node, wrote, asked, error }: PendingTask): PendingRecord {
  return {
    node: nodeName(node),
    ...(asked !== undefined && { asked: lastOf(asked).map(({ payload }) => payload as Json) }),
    ...(error !== undefined && { error: error.message }),
    // LangGraph does not tell a task that finished without writing from one that did not finish.
    ...(wrote !== undefined &&
      wrote.some((update) => Object.keys(update as Patch).length > 0) && {
        wrote: writesOf(wrote as readonly Patch[]),
      }),
  };
}

/** LangGraph shows what was asked last. */
function lastOf(asked: NonNullable<PendingTask["asked"]>): NonNullable<PendingTask["asked"]> {
  const open = asked.filter((question) => !("answer" in question));
  return open.length > 0 ? open : asked.slice(-1);
}

function writesOf(updates: readonly Patch[]): Writes {
  const writes: Record<string, Json[]> = {};
  for (const update of updates) for (const [field, value] of Object.entries(update)) (writes[field] ??= []).push(value);
  return writes;
}
