import { invariantBroken } from "../base/error.ts";
import type { JournalRow, RestoredRun } from "./backend.ts";

/** B3, as far as it can be seen without the run. */
export function checkRow(row: JournalRow, firstSeq: number): void {
  if (row.firstSeq !== firstSeq || !(row.firstSeq >= 1) || !(row.count >= 1)) {
    throw invariantBroken("B3", `a journal row claims ${row.count} records from ${row.firstSeq}`);
  }
}

/** B3, of all rows that are put back. */
export function checkJournal({ row, journal }: RestoredRun): void {
  let next = 1;
  for (const each of journal) {
    checkRow(each, next);
    next += each.count;
  }
  if (next - 1 !== row.lastSeq)
    throw invariantBroken("B3", `the journal ends at record ${next - 1}, and its run says ${row.lastSeq}`);
}
