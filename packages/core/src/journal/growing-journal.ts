/** A journal read as what happened, row by row, while it grows: for readers of a run, not for going on with it. */
import type { Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Probe, RunState } from "../state/run-state.ts";
import { unlessOvertaken } from "./compact/overtaken.ts";
import { JournalReading, newRun, replayRows, watch } from "./replay-rows.ts";

/** Whoever listens through the probe is told of each row before the next one is read. The state is the reader's own. */
export class GrowingJournal {
  readonly #backend: Backend;
  readonly #reading: JournalReading;
  readonly #probe: (run: RunState) => Probe | null;

  constructor(backend: Backend, row: RunRow, plan: Plan, probe: (run: RunState) => Probe | null) {
    this.#backend = backend;
    this.#reading = new JournalReading(row, plan);
    this.#probe = probe;
  }

  /**
   * Replays the records up to `until`, from where the last reading ended, and stops after each row. Nothing is released. Of a
   * journal that was compacted, what is told begins at its floor.
   *
   * @throws MillraceError `HistoryCompacted` when record `from`, or what comes behind the last that was read, is not there any more
   */
  async *read({
    from,
    until,
  }: {
    readonly from: number;
    readonly until: number;
  }): AsyncGenerator<undefined, undefined> {
    const reading = this.#reading;
    const { row, plan, reader } = reading;
    const watching = { probe: this.#probe, check: null };
    const begin = (started: Started): RunState => newRun(plan, row.id, started, watching);
    const atFloor = (run: RunState): void => watch(run, watching);
    try {
      return yield* replayRows(this.#backend, reading, { begin, atFloor }, { from, until });
    } catch (error) {
      const { seq } = reader;
      throw await unlessOvertaken(this.#backend, row.id, {
        error,
        seq,
        what: `what it did from record ${seq + 1} on`,
      });
    }
  }
}
