/** The items of a stream of the output of a run that this engine does not drive: gathered again from its journal, as that grows. */
import { GrowingJournal } from "../../journal/growing-journal.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import { RunObserver } from "../../runtime/observe.ts";
import { outcomeError } from "../result.ts";
import { storedOutcome } from "../standing.ts";
import type { ItemsOptions } from "./events.ts";
import { Horizon, type FollowedRun } from "./followed.ts";
import { ItemsReader } from "./items-reader.ts";
import { Iteration, type Polled, type Source } from "./iteration.ts";
import { streamOutput } from "./open-items.ts";

/** @throws MillraceError `NoSuchStream` */
export function itemsOfFollowed(run: FollowedRun, key: string | undefined, options: ItemsOptions): Iteration<unknown> {
  const collector = streamOutput(run.plan, key);
  return new Iteration((wake) => new FollowedItems(run, collector, options, wake));
}

class FollowedItems implements Source<unknown> {
  readonly #run: FollowedRun;
  readonly #horizon: Horizon;
  readonly #journal: GrowingJournal;
  /** From the first record on. */
  #reader: ItemsReader | null = null;
  #rows: AsyncGenerator<undefined, undefined> | null;

  constructor(
    run: FollowedRun,
    collector: ReturnType<typeof streamOutput>,
    { onReset = null as never }: ItemsOptions,
    wake: () => void,
  ) {
    const { backend, clock, row, plan } = run;
    this.#run = run;
    this.#horizon = new Horizon(run, wake);
    this.#journal = new GrowingJournal(backend, row, plan, (state) => {
      this.#reader = new ItemsReader(state, collector, () => Infinity, ignore, ignore, onReset);
      return new RunObserver([this.#reader], clock, state);
    });
    this.#rows = this.#journal.read({ from: 1, until: row.lastSeq });
  }

  poll(): Promise<Polled<unknown>> {
    return this.#horizon.whileOpen(() => this.#poll());
  }

  async #poll(): Promise<Polled<unknown>> {
    for (;;) {
      const polled = this.#reader?.poll() ?? "wait";
      if (polled !== "wait") return polled;
      if (!(await this.#readRow()) && !(await this.#readOn())) return "wait";
    }
  }

  async #readRow(): Promise<boolean> {
    if (this.#rows === null) return false;
    const read = await this.#rows.next();
    if (read.done === true) this.#rows = null;
    return true;
  }

  async #readOn(): Promise<boolean> {
    const told = this.#horizon.row.lastSeq;
    if (!(await this.#horizon.moved())) return false;
    const { row } = this.#horizon;
    if (row.lastSeq > told) this.#rows = this.#journal.read({ from: told + 1, until: row.lastSeq });
    else this.#reader?.settle(this.#failure(await storedOutcome(this.#run.backend, row)));
    return true;
  }

  #failure(outcome: Outcome): Error {
    const { row } = this.#run;
    return outcomeError(row.id, row.graph, outcome, null);
  }

  close(): void {
    this.#horizon.close();
    this.#rows?.return(undefined).catch(ignore);
  }
}

function ignore(): void {}
