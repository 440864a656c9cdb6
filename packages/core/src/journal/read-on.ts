import type { JournalRow } from "../ports/backend.ts";
import type { JournalSource } from "./replay-rows.ts";

interface LeftOff {
  readonly rows: AsyncIterator<JournalRow>;
  /** The record that the next row begins with. */
  readonly next: number;
}

/**
 * A source whose next read goes on with one that was left off, if it begins there: backends answer by pages, and the page that a
 * snapshot was read from holds what comes behind it. For one run.
 */
export function readOn(source: JournalSource): JournalSource {
  let left: LeftOff | null = null;
  async function* read(runId: string, fromSeq = 1): AsyncGenerator<JournalRow, void, undefined> {
    const rows = left?.next === fromSeq ? left.rows : source.read(runId, fromSeq)[Symbol.asyncIterator]();
    let next: number | null = fromSeq;
    try {
      for (let row = await rows.next(); row.done !== true; row = await rows.next()) {
        next = row.value.firstSeq + row.value.count;
        yield row.value;
      }
      next = null;
    } finally {
      left = next === null ? null : { rows, next };
    }
  }
  return {
    read,
    getBlob: (hash) => source.getBlob(hash),
    carried: (thread, upTo) => source.carried(thread, upTo),
  };
}
