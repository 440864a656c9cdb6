/** A journal read from its beginning: what going on with a run and reading what it did have in common. */
import { errorOf } from "../base/error.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { programOf } from "../state/program.ts";
import { RunState, type Probe } from "../state/run-state.ts";
import { threadOf } from "./carry/carry.ts";
import { reviverFor, type Revive } from "./blobs.ts";
import { namesOf, RecordedGraph } from "./recorded-graph.ts";
import { loadSnapshot } from "./snapshot/record.ts";
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
  /** From the first record on. */
  run: RunState | null = null;
  /** Characters of log since the last snapshot, about. */
  logged = 0;

  constructor(row: RunRow, plan: Plan) {
    this.row = row;
    this.reader = new RowReader(row.id);
    this.graph = new RecordedGraph(plan);
  }
}

/** Replays the records up to `until` and stops after each row. `begin` makes the state that the first one speaks of. */
export async function* replayRows(
  source: JournalSource,
  reading: JournalReading,
  begin: (started: Started, revive: Revive) => RunState,
  until: number = Infinity,
): AsyncGenerator<undefined, undefined> {
  const { row, reader, graph } = reading;
  const thread = await threadOf(source, row);
  if (reading.run !== null) reading.run.thread = thread;
  for await (const journalRow of source.read(row.id, reader.seq + 1)) {
    const records = reader.unpack(journalRow);
    reading.logged = isSnapshot(records) ? 0 : reading.logged + journalRow.bytes.byteLength;
    const revive = await reviverFor(source, row.id, reader, records);
    const free: number[] = [];
    let place = 0;
    for (const { record, foretold } of withDecisions(records)) {
      if (reading.run === null) {
        const started = startedOf(row, record);
        graph.become(started);
        reading.limits = recordedLimits(started);
        reading.run = begin(started, revive);
        reading.run.thread = thread;
        reading.run.carried = recordedCarry(started, revive);
      }
      const { run } = reading;
      if (run.seq >= until) return;
      replayRecord(run, record, foretold, revive, graph);
      if (isFree(record[0], graph.slot(record[1] as number))) free.push(place);
      place += 1 + foretold.length;
      if (run.probe !== null) run.probe.flush();
    }
    if (!isSnapshot(records)) reading.size.add(journalRow, free.length === 0 ? null : free);
    yield;
  }
}

function isSnapshot([first]: readonly RawRecord[]): boolean {
  return first?.[0] === RecordKind.snapshot;
}

/**
 * Begins at the last snapshot, if there is one that can be used; whoever is told of what is replayed is told of what comes
 * behind it.
 */
export async function beginAtSnapshot(
  source: JournalSource,
  reading: JournalReading,
  plan: Plan,
  { check }: Watch,
): Promise<void> {
  const { row } = reading;
  const seq = row.snapshotSeq ?? 0;
  if (seq === 0 || row.fingerprint !== plan.fingerprint) return;
  const loaded = await loadSnapshot(source, row.id, seq, plan, reading.reader);
  if (loaded === null) {
    reading.reader.startAfter(0, 0);
    return;
  }
  const { run, header } = loaded;
  [reading.size.records, reading.size.bytes] = header.counted;
  reading.limits = recordedLimits(header);
  reading.graph.become(namesOf(plan));
  run.check = check;
  reading.run = run;
}

export function newRun(plan: Plan, runId: string, started: Started, { probe, check }: Watch): RunState {
  const run = new RunState(programOf(plan), { runId }, started.errors === "raise");
  run.replaying = true;
  run.journaled = true;
  run.startsMissing = started.unsafeStarts === undefined;
  run.probe = probe?.(run) ?? null;
  run.check = check;
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
