/**
 * Reads that a compaction overtakes. The rows that such a read would come to next are gone, one row stands for all of them,
 * and what is found looks like damage. It is looked at when that happens, so that no other read costs more.
 */
import { MillraceError } from "../../base/error.ts";
import type { Backend } from "../../ports/backend.ts";
import { RowReader } from "../rows.ts";
import { historyCompacted, isCompacted } from "./compacted.ts";

type Source = Pick<Backend, "read">;

/** A run is not compacted more often while it is read once. */
const tries = 3;

/** What `read` gives, which begins anew when a compaction overtook it. Damage is damage again. */
export async function notOvertaken<T>(source: Source, runId: string, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (attempt === tries || !isDamage(error) || (await floorOf(source, runId)) === null) throw error;
    }
  }
}

/** What to throw of a read that has told what it read and came up to record `seq`, instead of `error`. */
export async function unlessOvertaken(
  source: Source,
  runId: string,
  { error, seq, what }: { readonly error: unknown; readonly seq: number; readonly what: string },
): Promise<unknown> {
  if (!isDamage(error)) return error;
  const floor = await floorOf(source, runId);
  // Who began at the floor came up to it at once: behind it damage is damage.
  return floor === null || seq >= floor - 1 ? error : historyCompacted(runId, floor, what);
}

function isDamage(error: unknown): boolean {
  return error instanceof MillraceError && error.code === "JournalCorrupt";
}

async function floorOf(source: Source, runId: string): Promise<number | null> {
  for await (const row of source.read(runId)) {
    const [first] = new RowReader(runId).unpack(row);
    return isCompacted(first) ? first[1].floor : null;
  }
  return null;
}
