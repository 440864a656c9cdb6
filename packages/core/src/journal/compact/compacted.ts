/** The record that stands for those of a journal that were compacted away. */
import { crc32 } from "../../base/crc32.ts";
import { errorOf, type MillraceError } from "../../base/error.ts";
import { RecordKind, type CompactedHeader } from "../../events/record.ts";
import type { JournalRow } from "../../ports/backend.ts";

const encoder = new TextEncoder();

export type RawCompacted = readonly [kind: number, header: CompactedHeader, kept: readonly (readonly unknown[])[]];

/** In the place of all rows before `floor`; its chain is the last one's, so that what is behind it is checked as ever. */
export function compactedRow(
  floor: number,
  chain: number,
  header: Omit<CompactedHeader, "format" | "floor" | "sum">,
  kept: RawCompacted[2],
): JournalRow {
  const whole = { format: 1, floor, ...header } as const;
  const record = [RecordKind.compacted, { ...whole, sum: sumOf(whole, kept) }, kept];
  return { firstSeq: 1, count: floor - 1, chain, bytes: encoder.encode(JSON.stringify([record])) };
}

function sumOf(header: Omit<CompactedHeader, "sum">, kept: RawCompacted[2]): number {
  return crc32(encoder.encode(JSON.stringify([header, kept])), 0);
}

/** Whether the one record of such a row is what was written: the row's chain is not of its bytes. */
export function isWhole([, { sum, ...header }, kept]: RawCompacted, { count }: JournalRow): boolean {
  return header.floor === count + 1 && sum === sumOf(header, kept);
}

export function isCompacted(record: readonly unknown[] | undefined): record is RawCompacted {
  return record?.[0] === RecordKind.compacted;
}

/** `what`: cannot be had without what is gone. */
export function historyCompacted(runId: string, floor: number, what: string): MillraceError {
  return errorOf("HistoryCompacted", { runId, floor, what });
}
