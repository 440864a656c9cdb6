import { RecordKind } from "../events/record.ts";
import type { Backend } from "../ports/backend.ts";
import { reviverFor } from "./blobs.ts";
import { unlessOvertaken } from "./compact/overtaken.ts";
import { graphIn, type RecordedGraph } from "./recorded-graph.ts";
import { journalCorrupt, RowReader, type RawRecord } from "./rows.ts";

/** One invocation of a generator. */
export interface ItemsOf {
  readonly backend: Backend;
  readonly runId: string;
  /** What the journal speaks of, before its first record; null: of the plan. */
  readonly graph: RecordedGraph | null;
  /** Of the plan. */
  readonly slot: number;
  readonly address: string;
}

export function itemsOf(
  backend: Backend,
  { runId, recorded = null }: { readonly runId: string; readonly recorded?: RecordedGraph | null },
  slot: number,
  address: string,
): ItemsOf {
  return { backend, runId, graph: recorded?.again() ?? null, slot, address };
}

/**
 * The items of one generator invocation, in order: read again only for generators open at a crash, and never
 * all at once. Whoever reads knows how many there were; later ones may be being written meanwhile.
 */
export async function* recordedItems(of: ItemsOf): AsyncGenerator<unknown, void> {
  for await (const item of storedItems(of)) yield item();
}

/** The item of that index, from 0. */
export async function recordedItem(of: ItemsOf, index: number): Promise<unknown> {
  let at = 0;
  for await (const item of storedItems(of)) if (at++ === index) return item();
  throw journalCorrupt(of.runId, `item ${index} of slot ${of.slot} is not in it`);
}

/** A compaction that overtakes it took none of these items: they are behind every snapshot that it may begin with. */
async function* storedItems(of: ItemsOf): AsyncGenerator<() => unknown, void> {
  const { backend, runId } = of;
  for (let given = 0, isAgain = true; isAgain;) {
    const reader = new RowReader(runId);
    isAgain = false;
    try {
      let index = 0;
      for await (const item of itemsIn({ ...of, graph: of.graph?.again() ?? null }, reader)) {
        if (index++ < given) continue;
        given++;
        yield item;
      }
    } catch (error) {
      const instead = await unlessOvertaken(backend, runId, { error, seq: reader.seq, what: "its items" });
      if (instead === error) throw error;
      isAgain = true;
    }
  }
}

async function* itemsIn(of: ItemsOf, reader: RowReader): AsyncGenerator<() => unknown, void> {
  const { backend, runId, graph } = of;
  for await (const row of backend.read(runId)) {
    const records = reader.unpack(row);
    const stored = await reviverFor(backend, runId, reader, records);
    for (const record of records) {
      if (graph !== null) follow(graph, record);
      if (isItem(record, of)) yield () => stored(record[3]);
    }
  }
}

function follow(graph: RecordedGraph, record: RawRecord): void {
  const names = graphIn(record);
  if (names !== undefined) graph.become(names);
}

function isItem([kind, recorded, at]: RawRecord, { graph, slot, address }: ItemsOf): boolean {
  if (kind !== RecordKind.frame || JSON.stringify(at) !== address) return false;
  return graph === null ? recorded === slot : graph.slot(recorded as number)?.id === slot;
}
