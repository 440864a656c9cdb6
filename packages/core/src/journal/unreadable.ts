import { MillraceError } from "../base/error.ts";

const codes: ReadonlySet<string> = new Set([
  "JournalCorrupt",
  "JournalTooNew",
  "DecryptionFailed",
  "EncryptionKeyMissing",
  "NotEncrypted",
]);

/** What is wrong with one stored run, whatever the code, while the others can be read. */
export function isUnreadable(error: unknown): error is MillraceError {
  return error instanceof MillraceError && codes.has(error.code);
}
