/**
 * Journal rows: the records of one commit as bytes, chained by checksum.
 *
 * A row's bytes are the UTF-8 of a JSON array of records. Its chain is CRC-32 over the previous chain, `firstSeq`,
 * `count` and the bytes, so that a changed, missing, repeated or swapped row is found wherever it stands.
 */
import { crc32 } from "../base/crc32.ts";
import { errorOf, type MillraceError } from "../base/error.ts";
import type { JournalRow } from "../ports/backend.ts";
import { isCompacted, isWhole } from "./compact/compacted.ts";
import { isSealed } from "./sealed.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const header = new DataView(new ArrayBuffer(12));
const headerBytes = new Uint8Array(header.buffer);

export function nextChain(chain: number, firstSeq: number, count: number, bytes: Uint8Array): number {
  header.setFloat64(0, firstSeq);
  header.setUint32(8, count);
  return crc32(bytes, crc32(headerBytes, chain));
}

export function packRow(records: readonly string[], firstSeq: number, chain: number): JournalRow {
  const bytes = encoder.encode(`[${records.join(",")}]`);
  return { firstSeq, count: records.length, bytes, chain: nextChain(chain, firstSeq, records.length, bytes) };
}

/** How a reference to a blob begins, wherever it stands in a row. */
const blobMark = '{"$b":';

/** One record as parsed: `[kind, ...]`, see `RecordKind`. */
export type RawRecord = readonly unknown[];

/** Reads rows in order and refuses whatever is not exactly what was written. */
export class RowReader {
  readonly #runId: string;
  #seq = 0;
  #chain = 0;
  #mentionsBlobs = false;

  constructor(runId: string) {
    this.#runId = runId;
  }

  /** Goes on behind record `seq`, whose chain somebody vouches for. */
  startAfter(seq: number, chain: number): void {
    this.#seq = seq;
    this.#chain = chain;
  }

  get seq(): number {
    return this.#seq;
  }

  get chain(): number {
    return this.#chain;
  }

  /** The row unpacked last may name blobs: its records must be looked through. */
  get mentionsBlobs(): boolean {
    return this.#mentionsBlobs;
  }

  unpack(row: JournalRow): RawRecord[] {
    if (row.firstSeq !== this.#seq + 1)
      throw this.#corrupt(`record ${this.#seq + 1} is missing: the next row begins at ${row.firstSeq}`);
    if (isSealed(row.bytes)) throw errorOf("EncryptionKeyMissing.none", { what: `run ${this.#runId}` });
    const chain = nextChain(this.#chain, row.firstSeq, row.count, row.bytes);
    if (chain !== row.chain && row.firstSeq === 1 && row.count > 1) return this.#compacted(row);
    if (chain !== row.chain)
      throw this.#corrupt(
        `the row of records ${row.firstSeq} to ${row.firstSeq + row.count - 1} does not match its checksum`,
      );
    const records = this.#parse(row);
    this.#seq += row.count;
    this.#chain = chain;
    return records;
  }

  /** What stands for records that are gone has a checksum of its own: the chain is that of the last of them. */
  #compacted(row: JournalRow): RawRecord[] {
    const records = this.#parse(row, 1);
    const [record] = records;
    if (!isCompacted(record) || !isWhole(record, row))
      throw this.#corrupt(`the row of records 1 to ${row.count} does not match its checksum`);
    this.#seq = row.count;
    this.#chain = row.chain;
    return records;
  }

  #parse(row: JournalRow, count = row.count): RawRecord[] {
    let parsed: unknown;
    try {
      const text = decoder.decode(row.bytes);
      this.#mentionsBlobs = text.includes(blobMark);
      parsed = JSON.parse(text);
    } catch (cause) {
      throw this.#corrupt(`the row at record ${row.firstSeq} cannot be read`, cause);
    }
    if (!Array.isArray(parsed) || parsed.length !== count || !parsed.every(Array.isArray)) {
      throw this.#corrupt(`the row at record ${row.firstSeq} does not hold ${row.count} records`);
    }
    return parsed as RawRecord[];
  }

  /** After the last row: what the run row says must be what was read. */
  finish(lastSeq: number, chain: number): void {
    if (this.#seq !== lastSeq)
      throw this.#corrupt(`the journal ends at record ${this.#seq}, and the run row says ${lastSeq}`);
    if (this.#chain !== chain) throw this.#corrupt(`the checksum of the run row does not match record ${lastSeq}`);
  }

  #corrupt(detail: string, cause?: unknown): MillraceError {
    return journalCorrupt(this.#runId, detail, cause);
  }
}

export function journalCorrupt(runId: string, detail: string, cause?: unknown): MillraceError {
  return errorOf("JournalCorrupt", { runId, detail }, cause);
}
