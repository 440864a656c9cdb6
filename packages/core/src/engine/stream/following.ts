import type { Place, StreamEvent } from "./events.ts";
import type { Polled, Source } from "./iteration.ts";

/** One reading of a run, up to its end or rest. */
export interface Reading extends Source<StreamEvent> {
  /** Of the last event that was given. */
  readonly place: Place;
}

/** A reader of a run that was put aside, and how to read on when the run has gone on by then. */
export interface Readings {
  open(): Reading;
  /** Null: it has not gone on, here or elsewhere, so this is the end of the reading. */
  next(after: Place): Readings | Promise<Readings | null> | null;
}

/** Reads a run over its rests: whoever answers a question as they read of it reads on, without a gap and nothing twice. */
export class Following implements Source<StreamEvent> {
  #readings: Readings;
  #reader: Reading;
  #closed = false;

  constructor(readings: Readings) {
    this.#readings = readings;
    this.#reader = readings.open();
  }

  poll(): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    const polled = this.#reader.poll();
    return polled instanceof Promise ? polled.then((settled) => this.#passOn(settled)) : this.#passOn(polled);
  }

  #passOn(polled: Polled<StreamEvent>): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    if (!isRest(polled)) return polled;
    const next = this.#readings.next(this.#reader.place);
    if (next instanceof Promise) return next.then((found) => this.#goOn(polled, found));
    return this.#goOn(polled, next);
  }

  #goOn(polled: Polled<StreamEvent>, next: Readings | null): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    if (next === null || this.#closed) return polled;
    this.#reader.close(false);
    this.#readings = next;
    this.#reader = next.open();
    return this.poll();
  }

  close(left: boolean): void {
    this.#closed = true;
    this.#reader.close(left);
  }
}

/** The end, or the last event before it: the result of a run that waits. */
function isRest(polled: Polled<StreamEvent>): boolean {
  if (polled === "wait" || polled === "done") return polled === "done";
  const { value } = polled;
  return value.mode === "output" && "result" in value && value.result.status === "interrupted";
}
