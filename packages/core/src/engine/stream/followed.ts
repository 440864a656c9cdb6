/**
 * A run that this engine does not drive, read as its journal grows, or as it stands when it is over.
 *
 * L1  Nothing is read ahead: a row of the journal is read when its reader has had all before it.
 * L2  What is told is durable, so that who drives the run may change in between.
 * L3  It ends where a live reading ends: when the run has ended, was drained or waits for answers, once everything before
 *     that is told.
 */
import type { Plan } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RunState } from "../../state/run-state.ts";
import type { Lookout, Sight } from "../lookout.ts";
import { cellsOf } from "../result.ts";
import { runNotFound } from "../run-errors.ts";
import { asTold, checkGoesOn, isOver, storedOutcome } from "../standing.ts";
import { EventReader } from "./event-reader.ts";
import type { StreamEvent, StreamMode, StreamOptions } from "./events.ts";
import type { Reading } from "./following.ts";
import { Iteration, type Polled } from "./iteration.ts";
import { checkModes, checkStreamOptions } from "./modes.ts";
import { journaledEvents } from "./past.ts";

/** What is followed, and how. */
export interface FollowedRun {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly lookout: Lookout;
  /** As it was when somebody began to follow it. */
  readonly row: RunRow;
  readonly plan: Plan;
  /** Throws when this engine was closed. */
  readonly checkOpen: () => void;
  cancel(reason: string): Promise<unknown>;
}

export function streamOfFollowed(
  run: FollowedRun,
  modes: StreamMode | readonly StreamMode[],
  options: StreamOptions,
): Iteration<StreamEvent> {
  const wanted = checkModes(modes);
  checkStreamOptions(options);
  return new Iteration((wake) => new FollowedEvents(run, wanted, options, wake), options.signal);
}

/** The run's row, looked at again when its reader has had all that it promised. */
export class Horizon {
  readonly #run: FollowedRun;
  readonly #sight: Sight;
  readonly #wake: () => void;
  row: RunRow;

  constructor(run: FollowedRun, wake: () => void) {
    this.#run = run;
    this.row = run.row;
    this.#sight = run.lookout.sight(run.row.id);
    this.#wake = wake;
  }

  /** Looks. False: it is as it was, and `wake` is called when it may not be any more. */
  async moved(): Promise<boolean> {
    const { id, lastSeq } = this.row;
    const row = await this.#sight.look();
    if (row === undefined) throw runNotFound(id, this.#run.backend.name);
    this.row = row;
    if (row.lastSeq > lastSeq || isOver(row)) return true;
    checkGoesOn(row);
    this.#sight.wait(this.#wake);
    return false;
  }

  /** What a backend says that was closed under it is no news to whoever closed the engine. */
  async whileOpen<T>(act: () => Promise<T>): Promise<T> {
    this.#run.checkOpen();
    try {
      return await act();
    } catch (error) {
      this.#run.checkOpen();
      throw error;
    }
  }

  close(): void {
    this.#sight.close();
  }
}

export class FollowedEvents implements Reading {
  readonly #backend: Backend;
  readonly #horizon: Horizon;
  readonly #reader: EventReader;

  constructor(run: FollowedRun, modes: ReadonlySet<StreamMode>, options: StreamOptions, wake: () => void) {
    const { backend, clock, row, plan } = run;
    const horizon = new Horizon(run, wake);
    let state: RunState | null = null;
    const history = journaledEvents(backend, row, plan, clock, modes, (began) => {
      state = began;
    });
    const seen = {
      runId: row.id,
      get seq() {
        return horizon.row.lastSeq;
      },
      get durable() {
        return horizon.row.lastSeq;
      },
      cells: () => (state === null ? {} : cellsOf(state)),
      tags: row,
    };
    this.#backend = backend;
    this.#horizon = horizon;
    this.#reader = new EventReader(seen, modes, options, history, (left) => {
      horizon.close();
      if (left && options.cancelOnBreak === true && !this.#reader.ended)
        run.cancel("its reader left").catch(() => undefined);
    });
  }

  get place(): Reading["place"] {
    return this.#reader.place;
  }

  poll(): Promise<Polled<StreamEvent>> {
    return this.#horizon.whileOpen(() => this.#poll());
  }

  async #poll(): Promise<Polled<StreamEvent>> {
    for (;;) {
      const polled = await this.#reader.poll();
      if (polled !== "wait") return polled;
      if (!(await this.#readOn())) return "wait";
    }
  }

  /** L3: a row that says that the run is over also says up to where it was told. */
  async #readOn(): Promise<boolean> {
    const told = this.#horizon.row.lastSeq;
    if (!(await this.#horizon.moved())) return false;
    const { row } = this.#horizon;
    if (row.lastSeq > told) this.#reader.readOn();
    else this.#reader.end(asTold(await storedOutcome(this.#backend, row)));
    return true;
  }

  close(left: boolean): void {
    this.#reader.close(left);
  }
}
