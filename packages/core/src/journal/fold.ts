/** What a journal says of a run without the graph that wrote it: for `get`, `show` and tools. Reads, never replays. */
import { RecordKind, type Ended, type ErrorEntry, type Started } from "../events/record.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { blobsOf, type Revive } from "./blobs.ts";
import { RowReader, type RawRecord } from "./rows.ts";

export interface Folded {
  readonly input: unknown;
  readonly finished: Record<string, number>;
  readonly failed: Record<string, number>;
  readonly errors: readonly ErrorEntry[];
  readonly output: unknown;
  readonly reason: string | undefined;
  /** Status of the last `ended` record, unless the run was resumed after it. */
  readonly status: Ended["status"] | undefined;
}

export async function foldJournal(backend: Backend, row: RunRow): Promise<Folded> {
  const reader = new RowReader(row.id);
  const fold = new Fold();
  for await (const journalRow of backend.read(row.id)) {
    // The run may go on while it is read: what came after its row was read is not looked at.
    if (journalRow.firstSeq > row.lastSeq) break;
    const records = reader.unpack(journalRow);
    const revive = await blobsOf(backend, row.id, records);
    for (const record of records) fold.take(record, revive);
  }
  reader.finish(row.lastSeq, row.chain);
  return fold;
}

class Fold implements Folded {
  input: unknown = undefined;
  readonly finished: Record<string, number> = {};
  readonly failed: Record<string, number> = {};
  errors: readonly ErrorEntry[] = [];
  output: unknown = undefined;
  reason: string | undefined;
  status: Ended["status"] | undefined;
  #names: ReadonlyMap<number, string> = new Map();

  take(record: RawRecord, revive: Revive): void {
    const [kind, first] = record;
    if (kind === RecordKind.started) this.#start(first as Started, revive);
    else if (kind === RecordKind.output || kind === RecordKind.eof) this.#count(this.finished, first as number);
    else if (kind === RecordKind.attemptFailed && record[4] === null) this.#count(this.failed, first as number);
    else if (kind === RecordKind.resumed) this.status = undefined;
    else if (kind === RecordKind.ended) this.#end(first as Ended, revive);
  }

  #start(started: Started, revive: Revive): void {
    this.input = revive(started.input);
    this.#names = new Map(started.nodes);
  }

  #count(counts: Record<string, number>, slot: number): void {
    const name = this.#names.get(slot) ?? `#${slot}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }

  #end(ended: Ended, revive: Revive): void {
    this.status = ended.status;
    this.errors = ended.errors;
    this.reason = ended.reason;
    if (ended.status === "completed") this.output = revive(ended.output);
  }
}
