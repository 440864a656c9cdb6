import { RecordKind } from "../events/record.ts";
import type { Backend } from "../ports/backend.ts";
import { reviverFor } from "./blobs.ts";
import { hashValue } from "./codec/codec.ts";
import { journalCorrupt, RowReader } from "./rows.ts";

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
  for await (const item of storedItems(backend, runId, slot, address)) yield hashValue(item());
}

/** The item of that index, from 0. */
export async function recordedItem(
  backend: Backend,
  runId: string,
  slot: number,
  address: string,
  index: number,
): Promise<unknown> {
  let at = 0;
  for await (const item of storedItems(backend, runId, slot, address)) if (at++ === index) return item();
  throw journalCorrupt(runId, `item ${index} of slot ${slot} is not in it`);
}

async function* storedItems(
  backend: Backend,
  runId: string,
  slot: number,
  address: string,
): AsyncGenerator<() => unknown, void> {
  const reader = new RowReader(runId);
  for await (const row of backend.read(runId)) {
    const records = reader.unpack(row);
    const stored = await reviverFor(backend, runId, reader, records);
    for (const [kind, at, context, value] of records) {
      if (kind === RecordKind.frame && at === slot && JSON.stringify(context) === address) yield () => stored(value);
    }
  }
}
