import type { AttemptError } from "../scheduler/event.ts";
import type { Recorder } from "./recorder.ts";

/** The attempt took longer than its policy allows. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "Timeout";
}

/** An error whose `data` cannot be journaled loses it, and says so; the failure itself is never lost. */
export function encodeError(
  recorder: Recorder | null,
  error: AttemptError,
): { described: AttemptError; encoded: string } {
  if (recorder === null) return { described: error, encoded: "" };
  try {
    return { described: error, encoded: recorder.encode(error, "error") };
  } catch (unencodable) {
    const reason = unencodable instanceof Error ? unencodable.message : String(unencodable);
    const described = { ...error, data: { omitted: reason } };
    return { described, encoded: recorder.encode(described, "error") };
  }
}
