/** What a journal says of a run without the graph that wrote it: for `get`, `show` and tools. Reads, never replays. */
import {
  RecordKind,
  type CompactedHeader,
  type Ended,
  type ErrorEntry,
  type ForkOrigin,
  type GraphNames,
  type NodeMap,
  type Started,
} from "../events/record.ts";
import { doubtTitle, type Interrupt, type Verdict } from "../events/interrupt.ts";
import { doubtId } from "../state/unsafe-bodies.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { reviverFor, type Revive } from "./blobs.ts";
import { withOutput } from "./carry/carried-output.ts";
import { originOf } from "./history.ts";
import type { RawCompacted } from "./compact/compacted.ts";
import { notOvertaken } from "./compact/overtaken.ts";
import { mapName } from "./lineage.ts";
import { journalCorrupt, RowReader, type RawRecord } from "./rows.ts";

export interface Folded {
  readonly input: unknown;
  /** Present when the run is a fork. */
  readonly forkedFrom: ForkOrigin | undefined;
  readonly finished: Record<string, number>;
  readonly failed: Record<string, number>;
  readonly errors: readonly ErrorEntry[];
  readonly output: unknown;
  readonly reason: string | undefined;
  /** Open questions. */
  readonly interrupts: readonly Interrupt[];
  /** Those that were answered, in that order. */
  readonly answered: readonly Answered[];
  /** Of the journal's rows. */
  readonly bytes: number;
  /** Of the last `ended` record, unless the run was resumed after it: then `running`. */
  readonly status: Ended["status"] | "running";
}

/** A question that has its answer. */
export interface Answered {
  readonly id: string;
  readonly node: string;
  readonly path: string;
  /** Who said so; `timeout`: it was its default; empty: not told. */
  readonly by: string;
  /** Milliseconds since 1970, UTC; absent: in a journal that an earlier version wrote. */
  readonly at?: number;
}

export function foldJournal(backend: Backend, row: RunRow): Promise<Folded> {
  return notOvertaken(backend, row.id, () => fold(backend, row));
}

async function fold(backend: Backend, row: RunRow): Promise<Folded> {
  const reader = new RowReader(row.id);
  const folded = new Fold(row.id);
  for await (const journalRow of backend.read(row.id)) {
    // The run may go on while it is read: what came after its row was read is not looked at.
    if (journalRow.firstSeq > row.lastSeq) break;
    const records = reader.unpack(journalRow);
    const revive = await reviverFor(backend, row.id, reader, records);
    for (const record of await withOutput(backend, row, records, revive)) folded.take(record, revive);
    folded.bytes += journalRow.bytes.length;
  }
  reader.finish(row.lastSeq, row.chain);
  checkRow(row, folded);
  return folded;
}

/** I12: what the row says is what the journal says. A claimed run keeps its status until its `resumed` record is written. */
function checkRow(row: RunRow, fold: Fold): void {
  // A run that was woken or given back waits for its next owner as it came to rest; so does one that nobody may take.
  const open = row.status === "queued" || row.status === "quarantined" || row.status === "needs_review";
  const status = open && !terminal.has(fold.status) ? fold.status : row.status;
  const differs = (what: string, byRow: string, journal: string): Error =>
    journalCorrupt(row.id, `its row has ${what} ${byRow}, and its journal ${journal}`);
  if (status !== fold.status) throw differs("status", row.status, fold.status);
  if (row.graph !== fold.graph) throw differs("graph", row.graph, fold.graph);
  if (row.fingerprint !== fold.fingerprint) throw differs("fingerprint", row.fingerprint, fold.fingerprint);
}

function rename(counts: Record<string, number>, map: NodeMap): void {
  const before = Object.entries(counts);
  for (const [name] of before) delete counts[name];
  for (const [name, count] of before) {
    add(counts, mapName(map, name) ?? name, count);
  }
}

/** Any name of a node is a key, also `constructor` and `__proto__`. */
function add(counts: Record<string, number>, name: string, count: number): void {
  if (Object.hasOwn(counts, name)) counts[name] = (counts[name] as number) + count;
  else Object.defineProperty(counts, name, { value: count, writable: true, enumerable: true, configurable: true });
}

/** Of an invocation that came to something. */
const ends: ReadonlySet<unknown> = new Set<RecordKind>([RecordKind.output, RecordKind.eof, RecordKind.settled]);
const terminal: ReadonlySet<string> = new Set(["completed", "failed", "cancelled"]);

function placeOf([, slot, at]: RawRecord): string {
  return `${slot as number} ${String(at)}`;
}

/** What the records that it took say, and what is told of them when they are gone. */
export class Fold implements Folded {
  readonly #runId: string;
  input: unknown = undefined;
  forkedFrom: ForkOrigin | undefined;
  readonly finished: Record<string, number> = {};
  readonly failed: Record<string, number> = {};
  errors: readonly ErrorEntry[] = [];
  output: unknown = undefined;
  reason: string | undefined;
  status: Ended["status"] | "running" = "running";
  bytes = 0;
  graph = "";
  fingerprint = "";

  constructor(runId: string) {
    this.#runId = runId;
  }

  #names: ReadonlyMap<number, string> = new Map();
  /** Open questions by slot and context. */
  readonly #asked: Map<string, Interrupt> = new Map();
  readonly answered: Answered[] = [];

  #started: RawRecord | null = null;
  #graphNames: GraphNames = { fingerprint: "", nodes: [] };
  /** Records of the open questions. */
  readonly #questions: Map<string, RawRecord> = new Map();

  /** Of them, those about bodies in doubt. */
  readonly #inDoubt: Set<string> = new Set();

  /** They are of a run that goes on: at its end none is open. */
  get interrupts(): readonly Interrupt[] {
    return terminal.has(this.status) ? [] : [...this.#asked.values()];
  }

  take(record: RawRecord, revive: Revive): void {
    const [kind, first] = record;
    if (kind === RecordKind.started) this.#start(record, revive);
    else if (ends.has(kind)) this.#count(this.finished, first as number);
    else if (kind === RecordKind.attemptFailed && record[4] === null) this.#fail(record);
    else if (kind === RecordKind.asked) this.#ask(record, revive);
    else if (kind === RecordKind.answered) this.#answer(record, revive);
    else if (kind === RecordKind.withdrawn) this.#close(placeOf(record));
    else if (kind === RecordKind.compacted) this.#compacted(record as unknown as RawCompacted, revive);
    else if (kind === RecordKind.resumed) this.#resume(record[3] as GraphNames | 0 | undefined);
    else if (kind === RecordKind.ended) this.#end(first as Ended, revive);
  }

  told(): Pick<CompactedHeader, "finished" | "failed" | "answered" | "names"> & { readonly kept: RawRecord[] } {
    const { finished, failed, answered } = this;
    const kept = [...(this.#started === null ? [] : [this.#started]), ...this.#questions.values()];
    return {
      finished: { ...finished },
      failed: { ...failed },
      answered: answered.slice(),
      names: this.#graphNames,
      kept,
    };
  }

  #compacted([, { finished, failed, answered, names }, kept]: RawCompacted, revive: Revive): void {
    for (const record of kept) {
      this.take(record, revive);
      // The questions behind the start are kept as the graph has them that they were left to.
      this.#become(names);
    }
    for (const [name, count] of Object.entries(finished)) add(this.finished, name, count);
    for (const [name, count] of Object.entries(failed)) add(this.failed, name, count);
    this.answered.push(...(answered as Answered[]));
  }

  #close(place: string): void {
    this.#asked.delete(place);
    this.#questions.delete(place);
  }

  #start(record: RawRecord, revive: Revive): void {
    const started = record[1] as Started;
    this.#started = record;
    this.input = revive(started.input);
    this.graph = started.graph;
    if (started.forkedFrom !== undefined) this.forkedFrom = originOf(started.forkedFrom, revive);
    this.#become(started);
  }

  #become(names: GraphNames): void {
    const { fingerprint, nodes, paths, arms } = names;
    this.#graphNames = {
      fingerprint,
      nodes,
      ...(paths !== undefined && { paths }),
      ...(arms !== undefined && { arms }),
    };
    this.fingerprint = fingerprint;
    this.#names = new Map(nodes);
  }

  /** What was asked and counted before goes by the names that it has from now on. */
  #change(names: GraphNames): void {
    const map = names.map ?? {};
    const slots = new Map(names.nodes.map(([slot, name]) => [name, slot]));
    for (const counts of [this.finished, this.failed]) rename(counts, map);
    const asked = [...this.#asked];
    const questions = new Map(this.#questions);
    const inDoubt = new Set(this.#inDoubt);
    this.#asked.clear();
    this.#questions.clear();
    this.#inDoubt.clear();
    for (const [place, interrupt] of asked) {
      const node = mapName(map, interrupt.node);
      const slot = node === null ? undefined : slots.get(node);
      if (slot === undefined) continue;
      const now = `${slot}${place.slice(place.indexOf(" "))}`;
      const isDoubt = inDoubt.has(place);
      const title = isDoubt ? { title: doubtTitle(node as string) } : {};
      this.#asked.set(now, { ...interrupt, node: node as string, ...title });
      this.#questions.set(now, (questions.get(place) as RawRecord).with(1, slot));
      if (isDoubt) this.#inDoubt.add(now);
    }
    this.#become(names);
  }

  #resume(change: GraphNames | 0 | undefined): void {
    this.status = "running";
    if (change !== undefined && change !== 0) this.#change(change);
  }

  #fail(record: RawRecord): void {
    this.#count(this.failed, record[1] as number);
    this.#close(placeOf(record));
  }

  /** What is said of a body in doubt stands for what came of it. */
  #answer(record: RawRecord, revive: Revive): void {
    const place = placeOf(record);
    if (this.#inDoubt.delete(place)) {
      const said = revive(record[4]) as Verdict;
      if ("output" in said) this.#count(this.finished, record[1] as number);
      else if ("fail" in said) this.#count(this.failed, record[1] as number);
    }
    const asked = this.#asked.get(place);
    if (asked === undefined) return;
    const { id, node, path } = asked;
    const at = record[5] === undefined ? {} : { at: record[5] as number };
    this.answered.push({ id, node, path, by: record[3] as string, ...at });
    this.#close(place);
  }

  #ask(record: RawRecord, revive: Revive): void {
    const [, slot, , due, payload, path, askedAt, title = 0, doubt = 0, id] = record;
    const node = this.#nameOf(slot as number);
    if (doubt !== 0) this.#inDoubt.add(placeOf(record));
    this.#questions.set(placeOf(record), record);
    this.#asked.set(placeOf(record), {
      id: (id as string | undefined) ?? doubtId(this.#runId, path as string, doubt as number),
      node,
      path: path as string,
      payload: revive(payload),
      ...(due === null ? {} : { due: due as number }),
      ...(askedAt === undefined ? {} : { askedAt: askedAt as number }),
      ...(title === 0 ? {} : { title: title as string }),
      ...(doubt === 0 ? {} : { title: doubtTitle(node) }),
    });
  }

  #nameOf(slot: number): string {
    return this.#names.get(slot) ?? `#${slot}`;
  }

  #count(counts: Record<string, number>, slot: number): void {
    add(counts, this.#nameOf(slot), 1);
  }

  #end(ended: Ended, revive: Revive): void {
    this.status = ended.status;
    this.errors = ended.errors;
    this.reason = ended.reason;
    if (ended.status === "completed") this.output = revive(ended.output);
  }
}
