/** A journal read as what happened, one row at a time: for readers of a run, not for going on with it. */
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Probe, RunState } from "../state/run-state.ts";
import { threadOf } from "./carry/carry.ts";
import { reviverFor } from "./blobs.ts";
import { RecordedGraph } from "./recorded-graph.ts";
import { newRun, startedOf } from "./rebuild.ts";
import { replayRecord, withDecisions } from "./replay.ts";
import { RowReader } from "./rows.ts";
import { recordedCarry } from "./started.ts";

/**
 * Replays the records up to `until` and stops after each row, so that whoever listens through the probe can keep pace.
 * Nothing is released: the state is the reader's own.
 */
export async function* relive(
  backend: Backend,
  row: RunRow,
  plan: Plan,
  until: number,
  probe: (run: RunState) => Probe | null,
): AsyncGenerator<undefined, undefined> {
  const reader = new RowReader(row.id);
  const graph = new RecordedGraph(plan);
  const thread = await threadOf(backend, row);
  let run: RunState | null = null;
  for await (const journalRow of backend.read(row.id)) {
    const records = reader.unpack(journalRow);
    const revive = await reviverFor(backend, row.id, reader, records);
    for (const { record, foretold } of withDecisions(records)) {
      if (run === null) {
        const started = startedOf(row, record);
        graph.become(started);
        run = newRun(plan, row.id, started, { allowGraphChange: true, probe, check: null });
        run.thread = thread;
        run.carried = recordedCarry(started, revive);
      }
      if (run.seq >= until) return;
      replayRecord(run, record, foretold, revive, graph);
      run.probe?.flush();
    }
    yield;
  }
}
