/** From the journal of a run to the state it was in when its last record became durable. */
import { errorOf } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { programOf } from "../state/program.ts";
import { RunState, type CallerValues, type Probe } from "../state/run-state.ts";
import { openContexts } from "../state/walk.ts";
import { reviverFor } from "./blobs.ts";
import { fingerprintMismatch, RecordedGraph } from "./recorded-graph.ts";
import { replayRecord, withDecisions } from "./replay.ts";
import { journalCorrupt, RowReader, type RawRecord } from "./rows.ts";
import { recordedTags } from "./started.ts";

export interface RebuildOptions {
  /** Match records to nodes by name instead of refusing another fingerprint. */
  readonly allowGraphChange: boolean;
  /** Told of what is replayed. */
  readonly probe: ((run: RunState) => Probe) | null;
  readonly check: ((run: RunState) => void) | null;
}

/** The state, and whether the plan is another than the one the journal last spoke of. */
export interface Rebuilt {
  readonly run: RunState;
  readonly graphChanged: boolean;
}

/** `backend` gives the journal and its blobs. */
export async function rebuildRun(
  backend: Pick<Backend, "read" | "getBlob">,
  row: RunRow,
  plan: Plan,
  options: RebuildOptions,
): Promise<Rebuilt> {
  const reader = new RowReader(row.id);
  const graph = new RecordedGraph(plan);
  let run: RunState | null = null;
  for await (const journalRow of backend.read(row.id)) {
    const records = reader.unpack(journalRow);
    const revive = await reviverFor(backend, row.id, reader, records);
    for (const { record, foretold } of withDecisions(records)) {
      if (run === null) {
        const started = startedOf(row, record);
        if (row.fingerprint !== plan.fingerprint && !options.allowGraphChange)
          throw fingerprintMismatch(row.id, started.graph, row.fingerprint, plan);
        graph.become(started);
        run = newRun(plan, row.id, started, options);
        run.tags = recordedTags(started);
        run.callerValues = recordedContext(plan, row.id, revive(started.context) as CallerValues | undefined);
      }
      replayRecord(run, record, foretold, revive, graph);
      if (run.probe !== null) run.probe.flush();
    }
  }
  reader.finish(row.lastSeq, row.chain);
  if (run === null) throw journalCorrupt(row.id, "it has no records");
  checkRow(row, graph.fingerprint);
  return { run: live(run), graphChanged: graph.changed };
}

function checkRow(row: RunRow, fingerprint: string): void {
  if (fingerprint !== row.fingerprint)
    throw journalCorrupt(row.id, `its row has fingerprint ${row.fingerprint}, and its journal ${fingerprint}`);
}

export function newRun(plan: Plan, runId: string, started: Started, options: RebuildOptions): RunState {
  const run = new RunState(programOf(plan), { runId }, started.errors === "raise");
  run.replaying = true;
  run.journaled = true;
  run.probe = options.probe?.(run) ?? null;
  run.check = options.check;
  return run;
}

/** As it was told when the run started: never validated again, for a schema may say something else today. */
function recordedContext(plan: Plan, runId: string, values: CallerValues = {}): CallerValues {
  deepFreeze(values);
  for (const { name } of plan.contexts)
    if (!Object.hasOwn(values, name)) throw errorOf("ContextMissing", { graph: plan.name, context: name, runId });
  return values;
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

/** The boundary between replay and life: nothing of the replay's bookkeeping stays. */
function live(run: RunState): RunState {
  run.replaying = false;
  run.foretold = null;
  run.effects.clear();
  for (const context of openContexts(run.root)) for (const stream of context.streams ?? []) stream.byIndex = null;
  return run;
}
