/** A journal read from its beginning: what going on with a run and reading what it did have in common. */
import { errorOf } from "../base/error.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, JournalRow, RunRow } from "../ports/backend.ts";
import { programOf } from "../state/program.ts";
import { RunState, type Probe } from "../state/run-state.ts";
import { threadOf } from "./carry/carry.ts";
import { reviverFor, type Revive } from "./blobs.ts";
import { namesOf } from "./lineage.ts";
import { graphIn, lineageOf, RecordedGraph } from "./recorded-graph.ts";
import { historyCompacted, isCompacted, type RawCompacted } from "./compact/compacted.ts";
import { loadSnapshot, type LoadedSnapshot } from "./snapshot/record.ts";
import type { Logged } from "./snapshot/snapshots.ts";
import { recordedCarry, recordedLimits, type Terms } from "./started.ts";
import { replayRecord, withDecisions } from "./replay.ts";
import { journalCorrupt, RowReader, type RawRecord } from "./rows.ts";
import { isFree, JournalSize } from "./size.ts";

/** What a journal is read from: it, its blobs, and what the thread of the run had carried on. */
export type JournalSource = Pick<Backend, "read" | "getBlob" | "carried">;

/** Who is told of what is replayed, and who looks at the state behind every step. */
export interface Watch {
  readonly probe: ((run: RunState) => Probe | null) | null;
  readonly check: ((run: RunState) => void) | null;
}

export class JournalReading {
  readonly row: RunRow;
  readonly reader: RowReader;
  readonly graph: RecordedGraph;
  /** As far as it was read, and what the caller wanted of its limits. */
  readonly size: JournalSize = new JournalSize();
  limits: Terms["limits"] = null;
  readonly plan: Plan;
  /** The last record that is read: the run may go on while somebody reads it who read its row before. */
  readonly last: number;
  /** It began at a snapshot, with the journal before that still there. */
  atSnapshot = false;
  /** From the first record on. */
  run: RunState | null = null;
  logged: Logged = nothingLogged;
  /** Undefined: not read yet. */
  thread: RunState["thread"] | undefined = undefined;

  constructor(row: RunRow, plan: Plan, last: number = Infinity) {
    this.row = row;
    this.plan = plan;
    this.last = last;
    this.reader = new RowReader(row.id);
    this.graph = new RecordedGraph(plan);
  }
}

/** What the state is made of: of the first record, or by the snapshot that a compacted journal begins with. */
export interface Beginnings {
  readonly begin: (started: Started, revive: Revive) => RunState;
  readonly atFloor: (run: RunState) => void;
}

/**
 * Replays the records up to `until` and stops after each row. `begin` makes the state that the first one speaks of; of a
 * journal that was compacted `atFloor` is given the one it goes on with.
 *
 * @throws MillraceError `HistoryCompacted` when record `from` is among those that are gone
 */
export async function* replayRows(
  source: JournalSource,
  reading: JournalReading,
  { begin, atFloor }: Beginnings,
  { from, until }: { readonly from: number; readonly until: number },
): AsyncGenerator<undefined, undefined> {
  const { row, reader } = reading;
  const thread = reading.thread === undefined ? await threadOf(source, row) : reading.thread;
  reading.thread = thread;
  if (reading.run !== null) reading.run.thread = thread;
  const last = Math.min(reading.last, until);
  for await (const journalRow of source.read(row.id, reader.seq + 1)) {
    // Left unread, so that whoever reads on begins there.
    if (journalRow.firstSeq > last) break;
    // The snapshot at the floor of a compacted journal.
    if (journalRow.firstSeq <= reader.seq) continue;
    const records = reader.unpack(journalRow);
    if (isCompacted(records[0])) {
      const run = await beginAtFloor(source, reading, records[0], from);
      run.thread = thread;
      atFloor(run);
      yield;
      continue;
    }
    reading.logged = isSnapshot(records) ? nothingLogged : withRow(reading.logged, journalRow);
    const revive = await reviverFor(source, row.id, reader, records);
    if (goesThroughOthers(reading, records)) await learnOthers(source, reading);
    const begun = (record: RawRecord): RunState => startedRun(reading, record, begin, revive, thread);
    const free = replayRow(reading, records, revive, begun, until);
    if (free === null) return;
    if (!isSnapshot(records)) reading.size.add(journalRow, free.length === 0 ? null : free);
    yield;
  }
}

/** The places of records that do not count for the limits; null: it came to `until`. */
function replayRow(
  reading: JournalReading,
  records: readonly RawRecord[],
  revive: Revive,
  begun: (record: RawRecord) => RunState,
  until: number,
): number[] | null {
  const { graph } = reading;
  const free: number[] = [];
  let place = 0;
  for (const { record, foretold } of withDecisions(records)) {
    const run = (reading.run ??= begun(record));
    if (run.seq >= until) return null;
    replayRecord(run, record, foretold, revive, graph);
    if (isFree(record[0], graph.slot(record[1] as number))) free.push(place);
    place += 1 + foretold.length;
    if (run.probe !== null) run.probe.flush();
  }
  return free;
}

function startedRun(
  reading: JournalReading,
  record: RawRecord,
  begin: Beginnings["begin"],
  revive: Revive,
  thread: RunState["thread"],
): RunState {
  const started = startedOf(reading.row, record);
  reading.graph.become(started);
  reading.limits = recordedLimits(started);
  const run = begin(started, revive);
  run.knownAs = reading.graph.knownAs;
  run.thread = thread;
  run.carried = recordedCarry(started, revive);
  return run;
}

/** Nothing else is left to begin with. */
async function beginAtFloor(
  source: JournalSource,
  reading: JournalReading,
  [, { floor }]: RawCompacted,
  from: number,
): Promise<RunState> {
  const { row, reader, plan } = reading;
  if (from < floor) throw historyCompacted(row.id, floor, `what it did from record ${from} on`);
  const loaded = await loadSnapshot(source, row.id, floor, plan, reader);
  if (loaded === null) throw errorOf("HistoryCompacted.snapshot", { runId: row.id, floor, graph: plan.name });
  goOnFrom(reading, loaded);
  return loaded.run;
}

function goOnFrom(reading: JournalReading, { run, header }: LoadedSnapshot): void {
  [reading.size.records, reading.size.bytes] = header.counted;
  reading.limits = recordedLimits(header);
  reading.graph.become(namesOf(reading.plan));
  reading.run = run;
}

const nothingLogged: Logged = { characters: 0, rows: 0 };

function withRow({ characters, rows }: Logged, { bytes }: JournalRow): Logged {
  return { characters: characters + bytes.byteLength, rows: rows + 1 };
}

function isSnapshot([first]: readonly RawRecord[]): boolean {
  return first?.[0] === RecordKind.snapshot;
}

/** Begins at the last snapshot, if there is one that can be used. */
export async function beginAtSnapshot(source: JournalSource, reading: JournalReading): Promise<void> {
  const { row, plan, reader } = reading;
  const seq = row.snapshotSeq ?? 0;
  if (seq === 0 || row.fingerprint !== plan.fingerprint) return;
  const loaded = await loadSnapshot(source, row.id, seq, plan, reader);
  if (loaded === null) reader.startAfter(0, 0);
  else {
    goOnFrom(reading, loaded);
    reading.atSnapshot = true;
  }
}

/** Behind the snapshot the run went to another graph and back: what is behind it cannot be read without what is before it. */
export class StaleSnapshot extends Error {}

async function learnOthers(
  source: JournalSource,
  { row, plan, graph, run, last, atSnapshot }: JournalReading,
): Promise<void> {
  if (atSnapshot) throw new StaleSnapshot();
  graph.learn(await lineageOf(source, row.id, plan, last));
  if (run !== null) run.knownAs = graph.knownAs;
}

/** Most runs only ever were of the plan that they are read with. */
function goesThroughOthers({ row, plan, run, graph }: JournalReading, records: readonly RawRecord[]): boolean {
  if (graph.lineage !== null) return false;
  const others = records.some((record, index) => graphIn(record) !== undefined && (run !== null || index > 0));
  return others || (run === null && (row.fingerprint !== plan.fingerprint || isOther(records, plan)));
}

function isOther([first]: readonly RawRecord[], { fingerprint }: Plan): boolean {
  return first !== undefined && graphIn(first)?.fingerprint !== fingerprint;
}

/** Whoever is told of what is replayed is told of what comes behind it. */
export function watch(run: RunState, { probe, check }: Watch): void {
  run.probe = probe?.(run) ?? null;
  run.check = check;
}

export function newRun(plan: Plan, runId: string, started: Started, watching: Watch): RunState {
  const run = new RunState(programOf(plan), { runId }, started.errors === "raise");
  run.replaying = true;
  run.journaled = true;
  run.startsMissing = started.unsafeStarts === undefined;
  watch(run, watching);
  return run;
}

export function startedOf(row: RunRow, record: RawRecord): Started {
  const [kind, started] = record;
  if (kind !== RecordKind.started) throw journalCorrupt(row.id, "its first record is not the start of a run");
  const { format, graph } = started as Started;
  if (format !== 1) throw errorOf("JournalTooNew", { runId: row.id, format: String(format) });
  if (graph !== row.graph)
    throw journalCorrupt(row.id, `its row is of graph "${row.graph}", and its journal of "${graph}"`);
  return started as Started;
}
