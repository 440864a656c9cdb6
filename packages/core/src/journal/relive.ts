/** A journal read as what happened, one row at a time: for readers of a run, not for going on with it. */
import type { Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import { unlessOvertaken } from "./compact/overtaken.ts";
import type { Probe, RunState } from "../state/run-state.ts";
import { JournalReading, newRun, replayRows, watch } from "./replay-rows.ts";

/**
 * Replays the records up to `until` and stops after each row, so that whoever listens through the probe can keep pace.
 * Nothing is released: the state is the reader's own. Of a journal that was compacted, what is told begins at its floor.
 *
 * @throws MillraceError `HistoryCompacted` when record `from`, which is wanted, is not there any more
 */
export async function* relive(
  backend: Backend,
  row: RunRow,
  plan: Plan,
  { from, until }: { readonly from: number; readonly until: number },
  probe: (run: RunState) => Probe | null,
): AsyncGenerator<undefined, undefined> {
  const watching = { probe, check: null };
  const begin = (started: Started): RunState => newRun(plan, row.id, started, watching);
  const atFloor = (run: RunState): void => watch(run, watching);
  const reading = new JournalReading(row, plan);
  try {
    return yield* replayRows(backend, reading, { begin, atFloor }, { from, until });
  } catch (error) {
    const { seq } = reading.reader;
    throw await unlessOvertaken(backend, row.id, { error, seq, what: `what it did from record ${seq + 1} on` });
  }
}
