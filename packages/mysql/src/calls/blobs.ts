import type { Owned } from "../database.ts";
import { bufferOf, keyOf } from "../keys.ts";

/** Of a blob, in one statement; the parts of what is stored already are as large. */
const partBytes = 4 << 20;

/** Most blobs that are stored again are large: first a look whether all their parts are there. */
export async function putBlob({ database }: Owned, hash: string, bytes: Uint8Array): Promise<void> {
  const { touchBlob, insertBlobPart } = database.statements;
  const key = keyOf(hash);
  const parts = Math.max(1, Math.ceil(bytes.byteLength / partBytes));
  const { count } = await database.once(touchBlob, [key]);
  if (count === parts) return;
  // The first part comes last: where it is, the others are.
  for (let part = parts - 1; part >= 0; part -= 1) {
    const some = bufferOf(bytes.subarray(part * partBytes, (part + 1) * partBytes));
    await database.once(insertBlobPart, [key, part, parts, hash, some]);
  }
}

export async function getBlob({ database }: Owned, hash: string): Promise<Uint8Array | undefined> {
  const { selectBlob } = database.statements;
  const { rows } = await database.once<{ parts: number; bytes: Buffer }>(selectBlob, [keyOf(hash)]);
  const [first] = rows;
  if (first === undefined || rows.length !== first.parts) return undefined;
  return rows.length === 1 ? first.bytes : Buffer.concat(rows.map(({ bytes }) => bytes));
}
