/** A worker of the pool: loads the modules, then runs one body after the other. */
import { parentPort, workerData } from "node:worker_threads";

import { errorOf } from "../../../base/error.ts";
import { decode } from "../../../journal/codec/codec.ts";
import { encodeAs } from "../../../journal/encode-as.ts";
import type { LogLevel } from "../../../ports/log.ts";
import type { Told } from "../../../ports/executor.ts";
import type { TaskMessage, WorkerMessage, WorkerSetup } from "../protocol.ts";
import { loadOps, type FoundOps } from "./ops.ts";
import { toMessage } from "./send-error.ts";

const port = parentPort;
if (port === null) throw new Error("this file is a worker thread's");

function say(message: WorkerMessage): void {
  port!.postMessage(message, []);
}

async function run({ byName }: FoundOps, { op, input, told }: TaskMessage): Promise<void> {
  try {
    const found = byName.get(op);
    // Ops were looked for before anything ran; tasks are not.
    if (found === undefined) throw noTask(op, byName);
    const output: unknown = await found.fn(decode(input) as never, contextOf(told));
    say({ type: "output", output: encodeAs("output", output) });
  } catch (error) {
    say({ type: "failed", error: toMessage(error) });
  }
}

function noTask(op: string, byName: FoundOps["byName"]): Error {
  const [graph = "", node = ""] = op.split("/");
  return errorOf("NoSuchTask", { graph, node, tasks: [...byName.keys()].join(", ") || "none" });
}

function contextOf({ timeout, context, tags, ...told }: Told): object {
  return {
    ...told,
    signal: new AbortController().signal,
    deadline: timeout === 0 ? undefined : Date.now() + timeout,
    context: context === null ? undefined : decode(context),
    ...(tags !== null && {
      traceId: tags.traceId ?? undefined,
      labels: Object.freeze(tags.labels ?? {}),
    }),
    tell: (event: unknown) => say({ type: "told", event: encodeAs("event", event) }),
    log: { debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") },
  };
}

/** A line that cannot travel loses its data; it must not fail the body. */
function line(level: LogLevel): (message: string, data?: unknown) => void {
  return (message, data) => {
    try {
      say({ type: "log", level, message, data });
    } catch {
      say({ type: "log", level, message, data: undefined });
    }
  };
}

try {
  const found = await loadOps((workerData as WorkerSetup).modules);
  port.on("message", (task: TaskMessage) => void run(found, task));
  say({ type: "ready", ops: [...found.byName.keys()], twice: found.twice });
} catch (error) {
  say({ type: "unusable", error: toMessage(error) });
}
