/**
 * Bodies of unsafe ops, which run at most once unless the outside says otherwise.
 *
 * U1  Before such a body begins, a record says so.
 * U2  One with that record and no end, in a process that is gone, is asked about; what is answered is what came of it.
 */
import type { Failure } from "../state/failure.ts";
import { Todo, type Pending } from "../state/pending.ts";
import type { RunState } from "../state/run-state.ts";
import { noteUnsafeBody } from "../state/unsafe-bodies.ts";
import { recordFailure } from "./failures.ts";

/** U1 */
export function noteStart(run: RunState, pending: Pending, at: number): void {
  const body = noteUnsafeBody(run, pending);
  body.attempt = pending.attempt;
  body.startedAt = at;
}

/** U2. It only waits: there is nothing for the runtime to do. */
export function noteAsked(run: RunState, pending: Pending, payload: unknown): void {
  const body = noteUnsafeBody(run, pending);
  body.asked++;
  body.payload = payload;
  pending.todo = Todo.wait;
  pending.seq = run.seq;
}

/** It runs again as if it had not begun, and whatever time it may take is counted anew: the answer took its own. */
export function forgetStart(run: RunState, pending: Pending): void {
  const body = noteUnsafeBody(run, pending);
  body.attempt = 0;
  body.payload = undefined;
  run.totals?.delete(pending);
}

/** As if the body had thrown, for the last time. */
export function failureSaid(run: RunState, pending: Pending, message: string): Failure {
  const { context, slot, attempt, input } = pending;
  return recordFailure(run, context, slot, { code: "Failed", type: "Error", message, data: undefined }, attempt, input);
}
