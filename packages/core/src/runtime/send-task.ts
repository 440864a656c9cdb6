/** Tasks of state graphs on their way to the engine's executor and back. */
import { errorOf } from "../base/error.ts";
import type { Told } from "../ports/executor.ts";
import type { RanHere, TaskToSend } from "../ports/task-executor.ts";
import type { Pending } from "../state/pending.ts";
import { bodyOf, isWanted } from "./body.ts";
import { toldOf } from "./elsewhere.ts";
import { untilLeased } from "./lease.ts";
import type { Runner } from "./runner.ts";
import { armRunTimeout } from "./timeouts.ts";

/** Null: they run where they are. */
export function sendTask(runner: Runner, pending: Pending, task: TaskToSend): Promise<unknown> | null {
  const { codec, log, tasks } = runner.host;
  if (tasks === null) return null;
  const { attempt } = pending;
  const { graph, node, step, input } = task;
  let known: Told | null = null;
  const told = (): Told => (known ??= toldOf(runner, pending));
  const events: { broken?: Error } = {};
  const execution = tasks.run({
    graph,
    node,
    step,
    attempt,
    input: () => codec.encode(input, "input"),
    told,
    run: async () => (await task.run()) as RanHere,
    started: () => {
      if (isWanted(runner, pending, attempt)) armRunTimeout(runner, pending);
    },
    admitted: () => untilLeased(runner),
    tell: (event) => {
      try {
        task.tell(codec.decode(event));
      } catch (error) {
        events.broken ??= undecodable(graph, node, error);
      }
    },
    log: (level, message, data) =>
      log.write(level, message, data, () => ({ runId: told().runId, path: told().path, attempt })),
  });
  bodyOf(runner, pending, attempt).execution = execution;
  return execution.outcome.then((outcome) => {
    if (events.broken !== undefined) throw events.broken;
    if (typeof outcome !== "string") return outcome;
    try {
      return codec.decode(outcome);
    } catch (error) {
      throw undecodable(graph, node, error);
    }
  });
}

function undecodable(graph: string, node: string, error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return errorOf("UndecodableStep", { graph, node, reason }, error);
}
