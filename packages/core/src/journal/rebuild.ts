/** From the journal of a run to the state it was in when its last record became durable. */
import { errorOf } from "../base/error.ts";
import { deepFreeze } from "../base/freeze.ts";
import type { GraphNames } from "../events/record.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Plan } from "../model/plan.ts";
import type { RunRow } from "../ports/backend.ts";
import type { CallerValues, RunState } from "../state/run-state.ts";
import { openContexts } from "../state/walk.ts";
import type { Started } from "../events/record.ts";
import type { Revive } from "./blobs.ts";
import { notOvertaken } from "./compact/overtaken.ts";
import { threadOf } from "./carry/carry.ts";
import { namesOf } from "./lineage.ts";
import { readOn } from "./read-on.ts";
import { fingerprintMismatch, lineageOf, mapFrom, RecordedGraph } from "./recorded-graph.ts";
import {
  beginAtSnapshot,
  JournalReading,
  newRun,
  replayRows,
  watch,
  StaleSnapshot,
  type JournalSource,
  type Watch,
} from "./replay-rows.ts";
import { noteUnrecorded } from "./replay.ts";
import { journalCorrupt } from "./rows.ts";
import type { JournalSize } from "./size.ts";
import type { Logged } from "./snapshot/snapshots.ts";
import { recordedTags, type Terms } from "./started.ts";

export interface RebuildOptions extends Watch {
  /** Match records to nodes by name instead of refusing another fingerprint. */
  readonly allowGraphChange: boolean;
  /** It is of a run that nobody else writes: records behind those that its row knows of are damage. */
  readonly owned: boolean;
}

export interface Rebuilt {
  readonly run: RunState;
  readonly logged: Logged;
  /** Of its journal, as it counts. */
  readonly size: JournalSize;
  /** What its caller wanted of the limits of that. */
  readonly limits: Terms["limits"];
  /** What is to be recorded when the plan is another than the one the journal last spoke of. */
  readonly change: GraphNames | undefined;
  /** How the records speak of the plan; null: they are its own. */
  readonly graph: RecordedGraph | null;
}

/** Observers of a read that begins anew are told once more of what it came to. */
export function rebuildRun(source: JournalSource, row: RunRow, plan: Plan, options: RebuildOptions): Promise<Rebuilt> {
  return notOvertaken(source, row.id, () => rebuildOnce(source, row, plan, options));
}

async function rebuildOnce(source: JournalSource, row: RunRow, plan: Plan, options: RebuildOptions): Promise<Rebuilt> {
  // Whoever is told of what is replayed is told of everything.
  if (options.probe !== null) return rebuild(source, row, plan, options, false);
  try {
    return await rebuild(source, row, plan, options, true);
  } catch (error) {
    if (error instanceof StaleSnapshot) return rebuild(source, row, plan, options, false);
    throw error;
  }
}

async function rebuild(
  backend: JournalSource,
  row: RunRow,
  plan: Plan,
  options: RebuildOptions,
  fromSnapshot: boolean,
): Promise<Rebuilt> {
  const source = readOn(backend);
  const reading = new JournalReading(row, plan, options.owned ? Infinity : row.lastSeq);
  // Asked for at once: neither has to wait for the other.
  [reading.thread] = await Promise.all([
    threadOf(source, row),
    fromSnapshot ? beginAtSnapshot(source, reading) : undefined,
  ]);
  const begin = (started: Started, revive: Revive): RunState => {
    if (!options.allowGraphChange && migrationFrom(plan, row.fingerprint) === null)
      throw fingerprintMismatch(row.id, started.graph, row.fingerprint, plan);
    const run = newRun(plan, row.id, started, options);
    run.tags = recordedTags(started);
    run.callerValues = recordedContext(plan, row.id, revive(started.context) as CallerValues | undefined);
    return run;
  };
  const atFloor = (run: RunState): void => {
    watch(run, options);
    run.callerValues = recordedContext(plan, row.id, run.callerValues ?? undefined);
  };
  const rows = replayRows(source, reading, { begin, atFloor }, { from: Infinity, until: Infinity });
  if (reading.run !== null) atFloor(reading.run);
  for await (const _ of rows); // Nobody keeps pace.
  const { reader, graph, run } = reading;
  reader.finish(row.lastSeq, row.chain);
  if (run === null) throw journalCorrupt(row.id, "it has no records");
  checkRow(row, graph.fingerprint);
  refuseLostStarts(row, run);
  const recorded = await recordedAs(source, reading, run);
  const { size, limits, logged } = reading;
  return { run: live(run), change: changeOf(plan, graph), graph: recorded, size, limits, logged };
}

/** What stands before a snapshot may speak of other graphs too. */
async function recordedAs(
  source: JournalSource,
  { row, plan, graph, last }: JournalReading,
  run: RunState,
): Promise<RecordedGraph | null> {
  if (graph.lineage !== null) return graph;
  if (run.knownAs === null) return null;
  const recorded = new RecordedGraph(plan);
  recorded.learn(await lineageOf(source, row.id, plan, last));
  return recorded;
}

function changeOf(plan: Plan, graph: RecordedGraph): GraphNames | undefined {
  if (!graph.changed) return undefined;
  const map = mapFrom(plan, graph.fingerprint);
  return Object.keys(map).length === 0 ? namesOf(plan) : { ...namesOf(plan), map };
}

/** Nobody would ever ask what became of the body of an unsafe op if its node could be taken out while it runs. */
function refuseLostStarts(row: RunRow, { removedStarts }: RunState): void {
  const [node] = removedStarts?.values() ?? [];
  if (node !== undefined) throw errorOf("MigrationMismatch.unsafe", { runId: row.id, graph: row.graph, node });
}

function checkRow(row: RunRow, fingerprint: string): void {
  if (fingerprint !== row.fingerprint)
    throw journalCorrupt(row.id, `its row has fingerprint ${row.fingerprint}, and its journal ${fingerprint}`);
}

/** As it was told when the run started: never validated again, for a schema may say something else today. */
export function recordedContext(plan: Plan, runId: string, values: CallerValues = {}): CallerValues {
  deepFreeze(values);
  for (const { name } of plan.contexts)
    if (!Object.hasOwn(values, name)) throw errorOf("ContextMissing", { graph: plan.name, context: name, runId });
  return values;
}

/** The boundary between replay and life: nothing of the replay's bookkeeping stays. */
function live(run: RunState): RunState {
  run.replaying = false;
  if (run.startsMissing) noteUnrecorded(run);
  run.foretold = null;
  run.removedStarts = null;
  run.effects.clear();
  for (const context of openContexts(run.root)) for (const stream of context.streams ?? []) stream.byIndex = null;
  return run;
}
