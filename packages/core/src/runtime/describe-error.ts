import type { AttemptError } from "../scheduler/event.ts";
import { MillraceError } from "../base/error.ts";
import type { Recorder } from "./recorder.ts";

/** The attempt took longer than its policy allows. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "Timeout";
}

/** What the journal keeps of an error: data only, and the same bytes on replay. */
export function describeError(error: unknown): AttemptError {
  if (!(error instanceof Error))
    return { code: "Thrown", type: typeof error, message: describeValue(error), data: undefined };
  const { code, data } = error as { code?: unknown; data?: unknown };
  const own = typeof code === "string" || typeof code === "number" ? String(code) : "Failed";
  return { code: own, type: error instanceof MillraceError ? error.code : error.name, message: error.message, data };
}

function describeValue(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
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
