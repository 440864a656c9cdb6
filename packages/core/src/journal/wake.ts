import { RecordKind, type Ended } from "../events/record.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { recordsOf } from "./rows.ts";

/** When the first timer of a parked run is due, from its last record; null: it waits for answers only. */
export async function wakeOf(backend: Backend, row: RunRow): Promise<number | null> {
  for await (const last of backend.read(row.id, row.lastSeq)) {
    const record = recordsOf(last).at(-1);
    if (record?.[0] === RecordKind.ended) return (record[1] as Ended).wake ?? null;
  }
  return null;
}
