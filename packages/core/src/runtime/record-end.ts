import { describeError } from "../base/describe-error.ts";
import { endWithout } from "../scheduler/end.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import type { Recorder } from "./recorder.ts";

/** Op outputs are encoded when they come; what edges made of them may still not be, and then there is no output. */
export function recordEnd(recorder: Recorder, state: RunState, end: RunEnd): void {
  try {
    recorder.recordEnd(state, end, end.status === "completed" ? recorder.encode(end.output, "output") : "");
  } catch (error) {
    state.end = endWithout(state, end, describeError(error));
    recorder.recordEnd(state, state.end, "");
  }
}

/** What the bodies of a run that did not complete are told by their signals. */
export function abortReason(end: RunEnd): Error {
  const why = end.status === "cancelled" ? `the run was cancelled: ${end.reason}` : "the run failed";
  return Object.assign(new Error(why), { name: "AbortError" });
}
