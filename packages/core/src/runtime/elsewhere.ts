/** Bodies of ops with `bound: "cpu"`: they run where the executor runs them, and only encoded values travel. */
import { errorOf } from "../base/error.ts";
import { nodePath } from "../state/path.ts";
import { identityPath, invocationKey } from "../state/invocation-key.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { Plan } from "../model/plan.ts";
import type { Executor, Told } from "../ports/executor.ts";
import type { Pending } from "../state/pending.ts";
import { bodyOf, isWanted } from "./body.ts";
import type { Host } from "./host.ts";
import type { Runner } from "./runner.ts";
import { untilLeased } from "./lease.ts";
import { armRunTimeout } from "./timeouts.ts";

/** Refuses a plan whose bodies could only run on the main thread and hold up everything. */
export function executorFor({ executor }: Host, plan: Plan): Executor | null {
  const [first] = plan.elsewhere;
  if (first === undefined) return null;
  if (executor !== null) return executor;
  throw errorOf("ExecutorMissing", { op: first, graph: plan.name });
}

/** Its time limit counts from when a worker took it up (X3). */
export async function runElsewhere(runner: Runner, pending: Pending, input: unknown): Promise<unknown> {
  const { attempt, slot } = pending;
  const { codec, log } = runner.host;
  const executor = executorFor(runner.host, runner.state.program.plan) as Executor;
  // An asynchronous schema may have taken longer than the attempt was wanted.
  if (!isWanted(runner, pending, attempt)) throw new Error("the result is no longer wanted");
  const told = toldOf(runner, pending);
  const { runId, path } = told;
  const execution = executor.run({
    op: (slot.op as OpSpec).name,
    input: codec.encode(input, "input"),
    told,
    started: () => {
      if (isWanted(runner, pending, attempt)) armRunTimeout(runner, pending);
    },
    admitted: () => untilLeased(runner),
    log: (level, message, data) => log.write(level, message, data, () => ({ runId, path, attempt })),
  });
  bodyOf(runner, pending, attempt).execution = execution;
  return codec.decode(await execution.output);
}

export function toldOf({ state, host }: Runner, pending: Pending): Told {
  const { attempt, context, slot } = pending;
  const { plan } = state.program;
  const { runId } = state;
  const path = nodePath(plan, context, slot.id);
  const caller = slot.op?.context ?? null;
  return {
    runId,
    graph: plan.name,
    node: slot.name,
    path,
    attempt,
    idempotencyKey: invocationKey(runId, identityPath(state, pending)),
    timeout: slot.policies?.runTimeout ?? 0,
    context: caller === null ? null : host.codec.encode(state.callerValues?.[caller.name], "context"),
    tags: state.tags,
    thread: state.thread?.name ?? null,
  };
}
