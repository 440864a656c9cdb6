import { describeError } from "../base/describe-error.ts";
import { endWithout } from "../scheduler/end.ts";
import { stoppedEvent } from "../scheduler/event.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import type { Recorder } from "./recorder.ts";
import type { Runner } from "./runner.ts";

/** Op outputs are encoded when they come; what edges made of them may still not be, and then there is no output. */
export function recordEnd(recorder: Recorder, state: RunState, end: RunEnd): void {
  try {
    recorder.recordEnd(state, end);
  } catch (error) {
    state.end = endWithout(state, end, describeError(error));
    recorder.recordEnd(state, state.end);
  }
}

/** Of a run with more records than it may have nothing goes on but its finalizers (L2). */
export function stopIfFull(runner: Runner, { full }: Recorder): void {
  const { end, ending } = runner.state;
  if (full !== null && end === null && ending === null) runner.feed(stoppedEvent(full));
}

/**
 * What the bodies of a run that did not complete are told by their signals. Its `cause` is what the caller cancelled with,
 * or the failure that ended the run.
 */
export function abortReason({ raised }: RunState, end: RunEnd, cancelledFor: unknown): Error {
  const isCancelled = end.status === "cancelled";
  const why = isCancelled ? `the run was cancelled: ${end.reason}` : "the run failed";
  const cause = isCancelled ? cancelledFor : (raised?.error ?? end.errors[0]);
  return Object.assign(new Error(why, cause === undefined ? undefined : { cause }), { name: "AbortError" });
}
