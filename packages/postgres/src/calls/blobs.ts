import { bufferOf } from "../array-literal.ts";
import type { Owned } from "../database.ts";

/** Most blobs that are stored again are large: first a look whether they are there. */
export async function putBlob({ database }: Owned, hash: string, bytes: Uint8Array): Promise<void> {
  const { touchBlob, insertBlob } = database.statements;
  const { count } = await database.once(touchBlob, [hash]);
  if (count === 0) await database.once(insertBlob, [hash, bufferOf(bytes)]);
}

export async function getBlob({ database }: Owned, hash: string): Promise<Uint8Array | undefined> {
  const { rows } = await database.once<{ bytes: Buffer }>(database.statements.selectBlob, [hash]);
  return rows[0]?.bytes;
}
