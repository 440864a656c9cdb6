import { RecordKind } from "../events/record.ts";
import type { Backend } from "../ports/backend.ts";
import { reviverFor } from "./blobs.ts";
import { hashValue } from "./codec/codec.ts";
import { RowReader } from "./rows.ts";

/**
 * Hashes of the items of one generator invocation, in order: read again only for generators open at a crash, and never
 * all at once. Whoever reads knows how many there were; later ones may be being written meanwhile.
 */
export async function* recordedItems(
  backend: Backend,
  runId: string,
  slot: number,
  address: string,
): AsyncGenerator<string, void> {
  const reader = new RowReader(runId);
  for await (const row of backend.read(runId)) {
    const records = reader.unpack(row);
    const stored = await reviverFor(backend, runId, reader, records);
    for (const [kind, at, context, value] of records) {
      if (kind === RecordKind.frame && at === slot && JSON.stringify(context) === address)
        yield hashValue(stored(value));
    }
  }
}
