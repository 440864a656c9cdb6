import { MillraceError } from "../../base/error.ts";

/** A form that no release can have written. Never the fault of the code that reads it. */
export function corrupt(detail: string, cause?: unknown): MillraceError {
  const hint =
    "the journal was changed from outside, damaged, or written by a newer release; restore it, or run that release";
  return new MillraceError(
    "JournalCorrupt",
    `journaled value: ${detail}`,
    cause === undefined ? { hint } : { hint, cause },
  );
}
