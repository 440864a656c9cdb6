/** The records of a journal, as people read them: with names and values, and without the code that wrote them. */
import {
  RecordKind,
  type At,
  type BrokenOff,
  type Ended,
  type ForkOrigin,
  type GraphNames,
  type Settled,
  type SnapshotHeader,
  type Started,
} from "../events/record.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { notFetched, reviverFor, reviverOf, type Revive } from "./blobs.ts";
import { withOutput } from "./carry/carried-output.ts";
import { revive } from "./codec/codec.ts";
import { isBehind } from "./fork/source.ts";
import { historyCompacted, isCompacted } from "./compact/compacted.ts";
import { unlessOvertaken } from "./compact/overtaken.ts";
import { RowReader, type RawRecord } from "./rows.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One record, read. */
export interface ReadRecord extends Fields {
  readonly seq: number;
  readonly batch: number;
  readonly kind: string;
}

/** Gives a node's path for its slot and context; undefined: the graph is not known. */
export type PathOf = (names: GraphNames, slot: number, at: At) => string | undefined;

const kinds: ReadonlyMap<unknown, string> = new Map(Object.entries(RecordKind).map(([name, kind]) => [kind, name]));

export interface Reach {
  /** The first record. */
  readonly from: number;
  /** False: what stands in the blob store, or in the thread, stays there. */
  readonly blobs: boolean;
}

/** One row in memory at a time. */
export async function* readHistory(
  backend: Backend,
  row: RunRow,
  reach: Reach,
  pathOf: PathOf,
): AsyncGenerator<ReadRecord, void> {
  const reader = new RowReader(row.id);
  try {
    yield* entries(backend, row, { reach, reader }, pathOf);
  } catch (error) {
    const what = `history from record ${reader.seq + 1} on`;
    throw await unlessOvertaken(backend, row.id, { error, seq: reader.seq, what });
  }
}

async function* entries(
  backend: Backend,
  row: RunRow,
  { reach: { from, blobs }, reader }: { readonly reach: Reach; readonly reader: RowReader },
  pathOf: PathOf,
): AsyncGenerator<ReadRecord, void> {
  const reading = new Reading(pathOf);
  for await (const journalRow of backend.read(row.id)) {
    // The run may go on while it is read.
    if (journalRow.firstSeq > row.lastSeq) break;
    const records = reader.unpack(journalRow);
    const [first] = records;
    if (isCompacted(first)) {
      if (from <= reader.seq) throw historyCompacted(row.id, first[1].floor, `history from record ${from} on`);
      reading.become(first[1].names);
      continue;
    }
    const wanted = reader.seq >= from;
    const revive = wanted ? await revivers(blobs)(backend, row.id, reader, records) : undefined;
    // What stands in the thread stays there, like what stands in the blob store.
    const told = revive === undefined || !blobs ? records : await withOutput(backend, row, records, revive);
    let seq = journalRow.firstSeq;
    for (const record of told) {
      reading.pass(record, seq);
      if (revive !== undefined && seq >= from) yield reading.entry(record, seq, revive);
      seq++;
    }
  }
  reader.finish(row.lastSeq, row.chain);
}

function revivers(blobs: boolean): typeof reviverFor {
  if (blobs) return reviverFor;
  return (backend, runId, reader, records) =>
    reader.mentionsBlobs ? reviverOf(backend, runId, records.filter(isFailure)) : revive;
}

/** What failed is always told, however much an error carries. */
function isFailure([kind, of]: RawRecord): boolean {
  return kind === RecordKind.attemptFailed || (kind === RecordKind.kept && of === RecordKind.attemptFailed);
}

class Reading {
  readonly #pathOf: PathOf;
  #names: GraphNames = { fingerprint: "", nodes: [] };
  #byslot: ReadonlyMap<number, string> = new Map();
  #batch = 1;

  constructor(pathOf: PathOf) {
    this.#pathOf = pathOf;
  }

  pass(record: RawRecord, seq: number): void {
    const [kind, first] = record;
    if (!isBehind(record)) this.#batch = seq;
    if (kind === RecordKind.started) this.become(first as Started);
    else if (kind === RecordKind.resumed && record[3] !== undefined && record[3] !== 0)
      this.become(record[3] as GraphNames);
  }

  become(names: GraphNames): void {
    this.#names = names;
    this.#byslot = new Map(names.nodes);
  }

  entry(record: RawRecord, seq: number, revive: Revive): ReadRecord {
    const kind = kinds.get(record[0]) ?? `#${String(record[0])}`;
    return { seq, batch: this.#batch, kind, ...withoutLarge(this.#fields(record, revive)) };
  }

  #fields(record: RawRecord, revive: Revive): Fields {
    const [kind, first, second] = record;
    const whole = ofRuns[kind as RecordKind];
    if (whole !== undefined) return whole(record, revive);
    if (kind === RecordKind.kept) return { of: kinds.get(first), ...this.#fields(record.slice(1), revive) };
    return { ...this.#place(first as number, second as At), ...ofNodes[kind as RecordKind]?.(record, revive) };
  }

  #place(slot: number, at: At): Fields {
    const path = this.#pathOf(this.#names, slot, at);
    const node = this.#byslot.get(slot) ?? `#${slot}`;
    return { node, items: at === 0 ? [] : at, ...(path !== undefined && { path }) };
  }
}

function withoutLarge(fields: Fields): Fields {
  if (fields["value"] !== notFetched) return fields;
  const { value: _, ...others } = fields;
  return { ...others, large: true };
}

type Read = (record: RawRecord, revive: Revive) => Fields;

/** Records of the run as a whole. */
const ofRuns: Partial<Record<RecordKind, Read>> = {
  [RecordKind.started]: ([, started], revive) => {
    const { graph, fingerprint, input, at, forkedFrom } = started as Started;
    const origin = forkedFrom === undefined ? {} : { forkedFrom: originOf(forkedFrom, revive) };
    return { graph, fingerprint, value: revive(input), at, ...origin };
  },
  [RecordKind.resumed]: ([, epoch, , change]) => ({
    epoch,
    ...(change !== undefined && change !== 0 && changeOf(change as GraphNames)),
  }),
  [RecordKind.cancelRequested]: ([, reason]) => ({ reason }),
  [RecordKind.drainRequested]: () => ({}),
  [RecordKind.snapshot]: ([, header]) => {
    const { hash, format } = header as SnapshotHeader;
    return { format, hash };
  },
  [RecordKind.stopped]: ([, code, message]) => ({ error: { code, type: code, message } }),
  [RecordKind.cellSet]: ([, cell, value], revive) => ({ cell, value: revive(value) }),
  [RecordKind.ended]: ([, ended], revive) => {
    const { status, output, carried, errors, reason, at } = ended as Ended;
    const value = status === "completed" ? { value: carried === undefined ? revive(output) : notFetched } : {};
    return { status, errors, at, ...value, ...(reason !== undefined && { reason }) };
  },
};

function changeOf({ fingerprint, map }: GraphNames): Fields {
  return { fingerprint, ...(map !== undefined && { map }) };
}

const value: Read = (record, revive) => (record[3] === undefined ? {} : { value: revive(record[3]) });
const due: Read = (record) => ({ due: record[3] });

/** Behind the node. */
const ofNodes: Partial<Record<RecordKind, Read>> = {
  [RecordKind.output]: value,
  [RecordKind.frame]: value,
  [RecordKind.eof]: value,
  [RecordKind.settled]: (record, revive) => ({ value: (revive(record[3]) as Settled).value }),
  [RecordKind.brokenOff]: (record, revive) => {
    const { code, type, message } = (revive(record[3]) as BrokenOff).failure.error;
    return { error: { code, type, message } };
  },
  [RecordKind.timerSet]: due,
  [RecordKind.deadlineSet]: due,
  [RecordKind.decision]: (record) => ({ choice: record[3] }),
  [RecordKind.dropped]: (record) => ({ index: record[3] }),
  [RecordKind.attemptFailed]: (record, revive) => {
    const { code, type, message } = revive(record[5]) as { code: string; type: string; message: string };
    const retry = record[4] === null ? {} : { retryAt: record[4] };
    return { attempt: record[3], error: { code, type, message }, ...retry };
  },
  [RecordKind.asked]: (record, revive) => ({
    path: record[5],
    value: revive(record[4]),
    ...(record[3] !== null && { due: record[3] }),
    ...(record[6] !== undefined && { at: record[6] }),
  }),
  [RecordKind.answered]: (record, revive) => ({
    by: record[3],
    value: revive(record[4]),
    ...(record[5] !== undefined && { at: record[5] }),
  }),
  [RecordKind.unsafeStart]: (record) => ({ attempt: record[3], at: record[4] }),
};

export function originOf({ runId, seq, patch, rerun }: ForkOrigin, revive: Revive): Fields & ForkOrigin {
  return { runId, seq, ...(patch !== undefined && { patch: revive(patch) }), ...(rerun !== undefined && { rerun }) };
}
