/** How a failure of the engine or the database ends the process, by its code; what is not named here is 1. */
import { ExitCode } from "../exit.ts";

const byCode: ReadonlyMap<string, ExitCode> = new Map([
  ["InvalidOption", ExitCode.usage],
  ["InvalidRunId", ExitCode.usage],
  ["InvalidValue", ExitCode.usage],
  ["InvalidStorePlace", ExitCode.usage],
  ["InvalidStoreValue", ExitCode.usage],
  ["InvalidStoreSearch", ExitCode.usage],
  ["StoreMissing", ExitCode.refused],
  ["StoreSearchTooWide", ExitCode.refused],
  ["RunNotFound", ExitCode.notFound],
  ["InterruptNotFound", ExitCode.notFound],
  ["AmbiguousInterrupt", ExitCode.usage],
  ["SeqOutOfRange", ExitCode.notFound],
  ["NoSuchNode", ExitCode.notFound],
  ["NothingToFork", ExitCode.refused],
  ["NotResumable", ExitCode.refused],
  ["NotCompactable", ExitCode.refused],
  ["HistoryCompacted", ExitCode.refused],
  ["RunInterrupted", ExitCode.waiting],
  ["UnknownGraph", ExitCode.refused],
  ["FingerprintMismatch", ExitCode.refused],
  ["JournalMismatch", ExitCode.refused],
  ["LeaseLost", ExitCode.refused],
  ["RunExists", ExitCode.refused],
  ["ThreadBusy", ExitCode.refused],
  ["ThreadMoved", ExitCode.refused],
  ["NoSuchThread", ExitCode.notFound],
  ["RunElsewhere", ExitCode.refused],
  ["InterruptAnswered", ExitCode.refused],
  ["RunNotRestored", ExitCode.refused],
  ["ArchiveTooNew", ExitCode.refused],
  ["RunEnded", ExitCode.refused],
  ["JournalTooNew", ExitCode.refused],
  ["DatabaseTooNew", ExitCode.refused],
  ["DatabaseLocked", ExitCode.refused],
  ["DatabaseReadOnly", ExitCode.refused],
  ["RunTimeout", ExitCode.timeout],
]);

export function exitCodeOfError(code: string): ExitCode {
  return byCode.get(code) ?? ExitCode.failed;
}
