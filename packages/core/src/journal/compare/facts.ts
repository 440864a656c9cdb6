/** What a journal says that a run came to, as facts that can be compared with those of another run. */
import { RecordKind, type At, type Ended, type GraphNames, type Started } from "../../events/record.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import { endedStatuses } from "../../ports/backend.ts";
import { systemSha256 } from "../../ports/system.ts";
import { blobsOf, notFetched, reviverOf, type Revive } from "../blobs.ts";
import { refersToThread, withOutput } from "../carry/carried-output.ts";
import { startedOf } from "../replay-rows.ts";
import { historyCompacted, isCompacted } from "../compact/compacted.ts";
import { unlessOvertaken } from "../compact/overtaken.ts";
import { RowReader, type RawRecord } from "../rows.ts";

export type FactKind =
  | "graph"
  | "input"
  | "cell"
  | "result"
  | "item"
  | "choice"
  | "question"
  | "answer"
  | "dropped"
  | "end";

/** One thing that a run came to; two runs have the same one under one key. */
export interface Fact {
  readonly key: string;
  readonly what: FactKind;
  /** Scoped name of the node, name of the cell; empty: it is of the run as a whole. */
  readonly node: string;
  readonly slot: number;
  readonly at: At;
  /** Of an item: which one of its generator, or of its stream. */
  readonly index?: number;
  readonly seq: number;
  /** Facts with one digest say the same. */
  readonly digest: string;
  /** What it says, encoded. */
  readonly said: Said;
}

/** Encoded parts of records; which there are goes by the kind of fact. */
export interface Said {
  readonly value?: unknown;
  readonly error?: unknown;
  readonly choice?: number;
  readonly by?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly graph?: string;
}

/** Longer texts are told apart by their hash. */
const longestText = 64;
const encoder = new TextEncoder();

/** In their order; a later one replaces an earlier one of its key. */
export async function* factsOf(backend: Backend, row: RunRow): AsyncGenerator<Fact, void> {
  const reader = new RowReader(row.id);
  try {
    yield* allFacts(backend, row, reader);
  } catch (error) {
    throw await unlessOvertaken(backend, row.id, { error, seq: reader.seq, what: comparison });
  }
}

const comparison = "a comparison, which is of all records";

async function* allFacts(backend: Backend, row: RunRow, reader: RowReader): AsyncGenerator<Fact, void> {
  const reading = new Facts(row);
  const revive = await reviverOf(backend, row.id, []);
  for await (const journalRow of backend.read(row.id)) {
    if (journalRow.firstSeq > row.lastSeq) break;
    const records = reader.unpack(journalRow);
    const [first] = records;
    if (isCompacted(first)) throw historyCompacted(row.id, first[1].floor, comparison);
    let seq = journalRow.firstSeq;
    for (const record of await written(backend, row, records)) yield* reading.of(record, seq++, revive);
  }
  reader.finish(row.lastSeq, row.chain);
  yield* reading.end();
}

/** An output that stands in the thread is compared as if it had been written out. */
async function written(backend: Backend, row: RunRow, records: readonly RawRecord[]): Promise<readonly RawRecord[]> {
  if (!refersToThread(records)) return records;
  return withOutput(backend, row, records, await blobsOf(backend, row.id, records.slice(-1)));
}

class Facts {
  readonly #row: RunRow;
  #names: ReadonlyMap<number, string> = new Map();
  /** Items of each generator so far. */
  readonly #items: Map<string, number> = new Map();
  #ended: { readonly ended: Ended; readonly seq: number } | null = null;

  constructor(row: RunRow) {
    this.#row = row;
  }

  *of(record: RawRecord, seq: number, revive: Revive): Generator<Fact, void> {
    const [kind, first] = record;
    if (kind === RecordKind.started) yield* this.#started(startedOf(this.#row, record), seq);
    else if (kind === RecordKind.resumed) this.#resumed(record[3]);
    else if (kind === RecordKind.ended) this.#ended = { ended: first as Ended, seq };
    else if (kind === RecordKind.cellSet) yield this.#ofRun("cell", seq, { value: record[2] }, first as string);
    else yield* this.#ofNode(record, seq, revive);
  }

  *#started(started: Started, seq: number): Generator<Fact, void> {
    this.#become(started);
    yield this.#ofRun("graph", seq, { graph: started.graph });
    yield this.#ofRun("input", seq, { value: started.input });
  }

  #resumed(change: unknown): void {
    if (change !== undefined && change !== 0) this.#become(change as GraphNames);
    this.#ended = null;
  }

  #become({ nodes }: GraphNames): void {
    this.#names = new Map(nodes);
  }

  /** Of a run that has not ended only where it stands. */
  *end(): Generator<Fact, void> {
    const { status, lastSeq } = this.#row;
    const { ended, seq = lastSeq } = this.#ended ?? {};
    if (ended === undefined || !endedStatuses.has(status)) {
      yield this.#ofRun("end", seq, { status });
      return;
    }
    const { output, reason, errors } = ended;
    const said = { status, ...(output !== undefined && { value: output }), ...(reason !== undefined && { reason }) };
    const failures = errors.map(({ node, path, code, message, count }) => [node, path, code, message, count]);
    yield { ...this.#ofRun("end", seq, said), digest: digestOf([said, failures]) };
  }

  #ofRun(what: FactKind, seq: number, said: Said, node = ""): Fact {
    return { key: `${what} ${node}`, what, node, slot: -1, at: 0, seq, digest: digestOf(said), said };
  }

  *#ofNode(record: RawRecord, seq: number, revive: Revive): Generator<Fact, void> {
    const [kind, slot, at] = record as [RecordKind, number, At];
    const told = says[kind]?.(record, revive);
    if (told === undefined) return;
    const { what, said, compared = said } = told;
    const node = this.#names.get(slot) ?? `#${slot}`;
    // Two graphs may have nodes of one name at different depths.
    const place = `${node} [${at === 0 ? "" : String(at)}]`;
    const index = kind === RecordKind.frame ? this.#next(place) : told.index;
    const key = `${what} ${place}${index === undefined ? "" : ` ${index}`}`;
    const fact = { key, what, node, slot, at, seq, digest: digestOf(compared), said };
    yield index === undefined ? fact : { ...fact, index };
  }

  #next(place: string): number {
    const index = this.#items.get(place) ?? 0;
    this.#items.set(place, index + 1);
    return index;
  }
}

interface Told {
  readonly what: FactKind;
  readonly said: Said;
  readonly index?: number;
  /** What of it is compared; default: all. */
  readonly compared?: unknown;
}

const result = ([, , , value]: RawRecord): Told => ({ what: "result", said: { value } });

/** Other records tell when something happened, not what it came to. */
const says: Partial<Record<RecordKind, (record: RawRecord, revive: Revive) => Told | undefined>> = {
  [RecordKind.output]: result,
  [RecordKind.settled]: result,
  [RecordKind.eof]: ([, , , value]) => ({ what: "result", said: value === undefined ? {} : { value } }),
  [RecordKind.frame]: ([, , , value]) => ({ what: "item", said: { value } }),
  [RecordKind.attemptFailed]: ([, , , , retryAt, error], revive) =>
    retryAt === null ? { what: "result", said: { error }, compared: comparedError(error, revive) } : undefined,
  [RecordKind.decision]: ([, , , choice]) => ({ what: "choice", said: { choice: choice as number } }),
  [RecordKind.asked]: ([, , , , value]) => ({ what: "question", said: { value } }),
  [RecordKind.answered]: ([, , , by, value]) => ({
    what: "answer",
    said: { value, by: by as string },
    compared: value,
  }),
  [RecordKind.dropped]: ([, , , index]) => ({ what: "dropped", said: {}, index: index as number }),
};

/** Where it was thrown, and with what data, does not make it another failure. */
function comparedError(stored: unknown, revive: Revive): unknown {
  const error = revive(stored);
  if (error === notFetched) return stored;
  const { code, type, message } = error as { code: string; type: string; message: string };
  return { error: [code, type, message] };
}

/** The codec is canonical: what is encoded alike is the same. */
function digestOf(said: unknown): string {
  const text = JSON.stringify(said) ?? "";
  return text.length <= longestText ? text : systemSha256(encoder.encode(text));
}
