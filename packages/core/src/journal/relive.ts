/** A journal read as what happened, up to one of its records. */
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Probe, RunState } from "../state/run-state.ts";
import { GrowingJournal } from "./growing-journal.ts";

/**
 * Replays the records up to `until` and stops after each row, so that whoever listens through the probe can keep pace.
 *
 * @throws MillraceError `HistoryCompacted` when record `from`, which is wanted, is not there any more
 */
export function relive(
  backend: Backend,
  row: RunRow,
  plan: Plan,
  span: { readonly from: number; readonly until: number },
  probe: (run: RunState) => Probe | null,
): AsyncGenerator<undefined, undefined> {
  return new GrowingJournal(backend, row, plan, probe).read(span);
}
