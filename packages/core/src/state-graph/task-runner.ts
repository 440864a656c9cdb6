import { errorOf } from "../base/error.ts";
import { decode } from "../journal/codec/codec.ts";
import { encodeAs } from "../journal/encode-as.ts";
import type { Tells } from "../model/body-around.ts";
import type { Log } from "../model/log.ts";
import { noStore } from "../model/no-store.ts";
import type { OpCtx } from "../model/op.ts";
import type { Needs } from "../model/resource.ts";
import { noLabels } from "../model/tags.ts";
import type { Told } from "../ports/executor.ts";
import type { LogLevel } from "../ports/log.ts";
import { systemClock } from "../ports/system.ts";
import type { TaskName, TaskWork } from "../ports/task-executor.ts";
import { taskBodies, taskKey } from "./task-bodies.ts";

/** A task as it travels: plain data, fit for JSON. */
export interface TaskRequest extends TaskName {
  readonly input: string;
  readonly told: Told;
}

/** What a task that runs elsewhere needs of who runs it. */
export interface TaskHooks {
  /** Aborted when the task is not wanted any more. Default: never. */
  readonly signal?: AbortSignal;
  /** An event that the body tells, to be given to `tell` of the work. Default: nobody is told. */
  readonly tell?: (event: string) => void;
  readonly log?: (level: LogLevel, message: string, data: unknown) => void;
}

export interface TaskRunner {
  /** What it can run. */
  readonly tasks: readonly TaskName[];
  /**
   * Resolves to what an executor gives as the outcome; rejects with what the body threw.
   *
   * @throws MillraceError `NoSuchTask`
   */
  run(request: TaskRequest, hooks?: TaskHooks): Promise<string>;
}

/** The work as it is sent elsewhere. */
export function requestOf(work: TaskWork): TaskRequest {
  return { graph: work.graph, node: work.node, input: work.input(), told: work.told() };
}

/**
 * Runs tasks that an executor elsewhere sent: by the names of graph and node, of these graphs and those that are nodes of them. Their bodies have no
 * `needs`, no store and no secrets.
 */
export function taskRunner(graphs: readonly unknown[]): TaskRunner {
  const bodies = taskBodies(graphs);
  const run = async ({ graph, node, input, told }: TaskRequest, hooks: TaskHooks = {}): Promise<string> => {
    const body = bodies.get(taskKey({ graph, node }));
    if (body === undefined)
      throw errorOf("NoSuchTask", { graph, node, tasks: [...bodies.keys()].join(", ") || "none" });
    return encodeAs("output", await body.fn(decode(input) as never, contextOf(told, hooks)));
  };
  return { tasks: [...bodies.values()].map(({ graph, node }) => ({ graph, node })), run };
}

function contextOf(told: Told, { signal, tell, log }: TaskHooks): OpCtx<Needs> & Tells {
  const { timeout, context, tags, thread, node, ...rest } = told;
  const line =
    (level: LogLevel) =>
    (message: string, data?: unknown): void =>
      log?.(level, message, data);
  const lines: Log = { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") };
  return {
    ...rest,
    node,
    thread: thread ?? undefined,
    signal: signal ?? new AbortController().signal,
    deadline: timeout === 0 ? undefined : systemClock.now() + timeout,
    resumeFrom: undefined,
    log: lines,
    resources: {},
    spend: () => undefined,
    secret: ({ name }) => {
      throw errorOf("SecretMissing.alone", { node, name });
    },
    store: noStore(() => errorOf("StoreMissing.alone", { node })),
    context: context === null ? undefined : decode(context),
    traceId: tags?.traceId ?? undefined,
    labels: Object.freeze(tags?.labels ?? noLabels),
    tell: (event) => tell?.(encodeAs("event", event)),
  };
}
