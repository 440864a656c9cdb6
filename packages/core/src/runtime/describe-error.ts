import type { AttemptError } from "../scheduler/event.ts";
import { MillraceError } from "../base/error.ts";
import type { Recorder } from "./recorder.ts";

/** The attempt took longer than its policy allows. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
  readonly code = "Timeout";
}

/** What the journal keeps of an error: data only, and the same bytes on replay. Total, whatever was thrown. */
export function describeError(error: unknown): AttemptError {
  try {
    return error instanceof Error
      ? describe(error)
      : { code: "Thrown", type: typeof error, message: describeValue(error), data: undefined };
  } catch {
    return { code: "Thrown", type: "unreadable", message: "what was thrown cannot be read", data: undefined };
  }
}

function describe(error: Error): AttemptError {
  const { code, data, message, name } = error as { code?: unknown; data?: unknown; message: unknown; name: unknown };
  const own = typeof code === "string" || typeof code === "number" ? String(code) : "Failed";
  const type = error instanceof MillraceError ? error.code : String(name);
  return { code: own, type, message: describeValue(message), data };
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
