import { bufferOf } from "../array-literal.ts";
import type { Connections } from "../connections.ts";
import { isStorable } from "../text.ts";

/** Most blobs that are stored again are large: first a look whether they are there. */
export async function putBlob({ database }: Connections, hash: string, bytes: Uint8Array): Promise<void> {
  const { touchBlob, insertBlob } = database.statements;
  const { count } = await database.query(touchBlob, [hash]);
  if (count === 0) await database.query(insertBlob, [hash, bufferOf(bytes)]);
}

export async function getBlob({ database }: Connections, hash: string): Promise<Uint8Array | undefined> {
  if (!isStorable(hash)) return undefined;
  const { rows } = await database.query<{ bytes: Buffer }>(database.statements.selectBlob, [hash]);
  return rows[0]?.bytes;
}
