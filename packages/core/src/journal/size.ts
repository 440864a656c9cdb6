/**
 * How much a journal holds, as it counts for its limits: everything but the frames of transient streams, and what says that
 * such a frame was dropped, and but snapshots. Values that lie beside the journal, as blobs, are not in it.
 *
 * S1  The sums over its rows are the same for who writes them and for who reads them, so that a run that goes on in another
 *     process has what it had; a replay counts as it goes, and nothing is read for it.
 */
import { RecordKind } from "../events/record.ts";
import type { Plan, SlotPlan } from "../model/plan.ts";
import type { JournalRow } from "../ports/backend.ts";

export class JournalSize {
  records = 0;
  /** Of rows, in UTF-8. */
  bytes = 0;

  /** `free`: places of the records in the row that do not count, in their order; null: all count. */
  add(row: Pick<JournalRow, "count" | "bytes">, free: readonly number[] | null): void {
    this.records += row.count - (free?.length ?? 0);
    this.bytes += row.bytes.length - (free === null ? 0 : lengthOf(row.bytes, free));
  }
}

/** A record of this kind about this node does not count. */
export function isFree(kind: unknown, slot: SlotPlan | undefined): boolean {
  return (kind === RecordKind.frame || kind === RecordKind.dropped) && slot?.op?.transient === true;
}

/** The same of records that are texts. */
export function freeAmong(plan: Plan, records: readonly string[]): number[] | null {
  const free: number[] = [];
  records.forEach((record, i) => {
    const [, kind, slot] = /^\[(\d+),(\d+),/.exec(record) ?? [];
    if (slot !== undefined && isFree(Number(kind), plan.slots[Number(slot)])) free.push(i);
  });
  return free.length === 0 ? null : free;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Bytes of the records at these places, each with the comma before it. */
function lengthOf(bytes: Uint8Array, places: readonly number[]): number {
  let length = 0;
  let next = 0;
  let place = 0;
  let begin = 1;
  let depth = 0;
  for (let i = 0; i < bytes.length && next < places.length; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) i = endOfText(bytes, i);
    else depth += nesting(byte);
    if (depth > 1 || (depth === 1 && byte !== comma)) continue;
    if (place === places[next]) {
      length += i - begin;
      next++;
    }
    place++;
    begin = i;
  }
  return length;
}

/** What a byte outside of texts does to the depth: `[` and `{`, `]` and `}`. */
function nesting(byte: number): number {
  if (byte === 0x5b || byte === 0x7b) return 1;
  return byte === 0x5d || byte === 0x7d ? -1 : 0;
}

/** Of the text whose quote is at `i`. */
function endOfText(bytes: Uint8Array, i: number): number {
  let end = i + 1;
  while (end < bytes.length && bytes[end] !== quote) end += bytes[end] === backslash ? 2 : 1;
  return end;
}
