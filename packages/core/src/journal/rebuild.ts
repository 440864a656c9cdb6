/** From the journal of a run to the state it was in when its last record became durable. */
import { MillraceError } from "../base/error.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { programOf } from "../state/program.ts";
import { RunState, type Probe } from "../state/run-state.ts";
import { openContexts } from "../state/walk.ts";
import { blobsOf } from "./blobs.ts";
import { replayRecord, type SlotMap } from "./replay.ts";
import { journalCorrupt, RowReader, type RawRecord } from "./rows.ts";

export interface RebuildOptions {
  /** Match records to nodes by name instead of refusing another fingerprint. */
  readonly allowGraphChange: boolean;
  /** Told of what is replayed. */
  readonly probe: ((run: RunState) => Probe) | null;
  readonly check: ((run: RunState) => void) | null;
}

export async function rebuildRun(backend: Backend, row: RunRow, plan: Plan, options: RebuildOptions): Promise<RunState> {
  const reader = new RowReader(row.id);
  let run: RunState | null = null;
  let slots: SlotMap = null;
  for await (const journalRow of backend.read(row.id)) {
    const records = reader.unpack(journalRow);
    const revive = await blobsOf(backend, row.id, records);
    for (const record of records) {
      if (run === null) {
        const started = startedOf(row, record);
        slots = matchGraph(row, started, plan, options.allowGraphChange);
        run = newRun(plan, row.id, started, options);
      }
      replayRecord(run, record, revive, slots);
    }
  }
  reader.finish(row.lastSeq, row.chain);
  if (run === null) throw journalCorrupt(row.id, "it has no records");
  return live(run);
}

function newRun(plan: Plan, runId: string, started: Started, options: RebuildOptions): RunState {
  const run = new RunState(programOf(plan), runId, started.errors === "raise");
  run.replaying = true;
  run.probe = options.probe?.(run) ?? null;
  run.check = options.check;
  return run;
}

function startedOf(row: RunRow, record: RawRecord): Started {
  const [kind, started] = record;
  if (kind !== RecordKind.started) throw journalCorrupt(row.id, "its first record is not the start of a run");
  const { format } = started as Started;
  if (format !== 1) throw new MillraceError("JournalTooNew", `run ${row.id} was written in journal format ${String(format)}; this version reads 1`, { hint: "upgrade millrace" });
  return started as Started;
}

function matchGraph(row: RunRow, started: Started, plan: Plan, allowChange: boolean): SlotMap {
  if (started.fingerprint === plan.fingerprint) return null;
  if (!allowChange) {
    throw new MillraceError("FingerprintMismatch", `run ${row.id} was started on graph "${started.graph}" with fingerprint ${started.fingerprint}, and this graph has ${plan.fingerprint}`, {
      hint: "resume it with the code it was started with, or allow the graph change if the finished nodes still mean the same",
    });
  }
  const byName = new Map(plan.slots.filter((slot) => slot.name !== "").map((slot) => [slot.name, slot.id]));
  return new Map(started.nodes.flatMap(([recorded, name]) => (byName.has(name) ? [[recorded, byName.get(name) as number] as const] : [])));
}

/** The boundary between replay and life: nothing of the replay's bookkeeping stays. */
function live(run: RunState): RunState {
  run.replaying = false;
  run.effects.clear();
  for (const context of openContexts(run.root)) for (const stream of context.streams ?? []) stream.byIndex = null;
  return run;
}
