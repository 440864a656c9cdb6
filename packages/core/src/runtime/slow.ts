import { nodePath } from "../state/path.ts";
import { bodyOf, type Body } from "./body.ts";
import type { Runner } from "./runner.ts";
import type { Pending } from "../state/pending.ts";

/** Says once that an attempt is not done, or an item of a generator, after what the engine calls slow. */
export function watchSlow(runner: Runner, pending: Pending): void {
  const { clock, deadlines, slowOp } = runner.host;
  const body = bodyOf(runner, pending, pending.attempt);
  body.slow = deadlines.add(clock.now() + slowOp, () => tell(body));
}

/** The item came. */
export function unwatchSlow(body: Body): void {
  if (body.slow !== null) body.runner.host.deadlines.cancel(body.slow);
  body.slow = null;
}

function tell(body: Body): void {
  const { runner, pending, attempt } = body;
  const { log, slowOp } = runner.host;
  const { name, id } = pending.slot;
  body.slow = null;
  log.write("warn", `"${name}" is still working after ${slowOp} ms`, undefined, () => ({
    runId: runner.state.runId,
    path: nodePath(runner.state.program.plan, pending.context, id),
    attempt,
  }));
}
