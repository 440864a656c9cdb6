import { errorOf } from "../base/error.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { reportFailure } from "./failure.ts";
import type { Runner } from "./runner.ts";

/** What must not run twice and may have run in a process that is gone: all but an attempt that is not due yet. */
export function mayHaveRun(pending: Pending, now: number): boolean {
  if (pending.body !== null) return false;
  return pending.slot.op?.effect === "unsafe" && !(pending.todo === Todo.retry && pending.due > now);
}

/** Nobody but a person can know whether it had its effect. */
export function refuseSecondRun(runner: Runner, pending: Pending): void {
  reportFailure(runner, pending, errorOf("UnsafeInFlight", { node: pending.slot.name }));
}
