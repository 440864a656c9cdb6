import { errorOf, type MillraceError } from "../../base/error.ts";
import { isSealed } from "../../journal/sealed.ts";
import type { JournalRow } from "../../ports/backend.ts";
import { journalCorrupt } from "../../journal/rows.ts";
import type { KeyRing, RingKey } from "./key-ring.ts";
import { keyOf, seal, unseal, type Place } from "./seal.ts";

/** Encrypts what is stored and decrypts what was, by its place. */
export class Vault {
  readonly ring: KeyRing;
  /** What was stored before there was encryption is read as it is. */
  readonly allowPlain: boolean;

  constructor(ring: KeyRing, allowPlain: boolean) {
    this.ring = ring;
    this.allowPlain = allowPlain;
  }

  seal(place: Place, bytes: Uint8Array): Uint8Array {
    return seal(this.ring.forWriting(), place, bytes);
  }

  /** @throws MillraceError `NotEncrypted`, `EncryptionKeyMissing`, and `damaged` for what is not what was written there. */
  open(place: Place, stored: Uint8Array, what: string, damaged: (what: string) => MillraceError): Uint8Array {
    if (!this.isEncrypted(stored, what)) return stored;
    const key = keyOf(this.ring, stored, what);
    const bytes = key === undefined ? undefined : unseal(key, place, stored);
    if (bytes === undefined) throw damaged(what);
    return bytes;
  }

  /** @throws MillraceError `NotEncrypted` */
  isEncrypted(stored: Uint8Array, what: string): boolean {
    if (isSealed(stored)) return true;
    if (this.allowPlain) return false;
    throw errorOf("NotEncrypted", { what });
  }

  /** The checksum is of what is inside: outside it is masked, for 32 bits are enough to confirm a guess. */
  sealRow(runId: string, row: JournalRow): JournalRow {
    const { firstSeq, count, chain, bytes } = row;
    const key = this.ring.forWriting();
    const sealed = seal(key, rowPlace(runId, row), bytes);
    return { firstSeq, count, bytes: sealed, chain: masked(chain, key, runId, row) };
  }

  openRow(runId: string, row: JournalRow): JournalRow {
    const what = rowName(runId, row);
    if (!this.isEncrypted(row.bytes, what)) return row;
    const key = keyOf(this.ring, row.bytes, what);
    if (key === undefined) throw corruptRow(runId, row);
    const { firstSeq, count } = row;
    const chain = masked(row.chain, key, runId, row);
    const bytes = unseal(key, rowPlace(runId, { firstSeq, count, chain }), row.bytes);
    if (bytes === undefined) throw corruptRow(runId, row);
    return { firstSeq, count, chain, bytes };
  }

  /** The key of a stored row; null: it is in plain. */
  keyOfRow(runId: string, row: JournalRow): RingKey | null {
    const what = rowName(runId, row);
    if (!this.isEncrypted(row.bytes, what)) return null;
    const key = keyOf(this.ring, row.bytes, what);
    if (key === undefined) throw corruptRow(runId, row);
    return key;
  }
}

type Span = Pick<JournalRow, "firstSeq" | "count">;

function rowPlace(runId: string, { firstSeq, count, chain }: Omit<JournalRow, "bytes">): Place {
  return ["row", runId, firstSeq, count, chain];
}

/** Masking and unmasking are the same. */
function masked(chain: number, key: RingKey, runId: string, { firstSeq, count }: Span): number {
  return (chain ^ key.mask(runId, firstSeq + count - 1)) >>> 0;
}

function rowName(runId: string, { firstSeq, count }: Span): string {
  return `the row of records ${firstSeq} to ${firstSeq + count - 1} of run ${runId}`;
}

function corruptRow(runId: string, { firstSeq, count }: Span): MillraceError {
  const span = `the row of records ${firstSeq} to ${firstSeq + count - 1}`;
  return journalCorrupt(runId, `${span} cannot be decrypted: it was changed, or belongs elsewhere`);
}

export function damagedRecord(what: string): MillraceError {
  return errorOf("DecryptionFailed", { what });
}
