import { insertBlobRef, nameBlob } from "../sql/blobs.ts";
import type { Connection } from "./connection.ts";

/** Notes that run number `n` names these blobs, which keeps them. */
export function nameBlobs(connection: Connection, n: number, hashes: readonly string[]): void {
  for (const hash of hashes) {
    connection.run(insertBlobRef, hash, n);
    connection.run(nameBlob, hash);
  }
}
