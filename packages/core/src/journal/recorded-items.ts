import { RecordKind } from "../events/record.ts";
import type { Backend } from "../ports/backend.ts";
import { reviverFor } from "./blobs.ts";
import { hashValue } from "./codec/codec.ts";
import { RowReader } from "./rows.ts";

/** Hashes of the items of one generator invocation, in order: read again only for generators open at a crash. */
export async function recordedItems(backend: Backend, runId: string, slot: number, address: string): Promise<string[]> {
  const reader = new RowReader(runId);
  const hashes: string[] = [];
  for await (const row of backend.read(runId)) {
    const records = reader.unpack(row);
    const stored = await reviverFor(backend, runId, reader, records);
    for (const [kind, at, context, value] of records) {
      if (kind === RecordKind.frame && at === slot && JSON.stringify(context) === address)
        hashes.push(hashValue(stored(value)));
    }
  }
  return hashes;
}
