import type { Pending } from "../state/pending.ts";
import { isAsked } from "../state/unsafe-bodies.ts";
import type { Deadline, Deadlines } from "./deadlines.ts";

/** A timer that is further away does not keep a run in a process. */
const NEAR_MS = 5_000;

/** Invocations of one run that wait: for the next attempt, the end of a sleep, an answer. */
export class Waits {
  readonly #deadlines: Deadlines;
  /** Null: waits without a time limit. */
  readonly #waiting: Map<Pending, Deadline | null> = new Map();

  constructor(deadlines: Deadlines) {
    this.#deadlines = deadlines;
  }

  /** Calls back once at `due`, in epoch milliseconds; never when that is null. */
  add(pending: Pending, due: number | null, callback: () => void): void {
    this.cancel(pending);
    const fire = (): void => {
      this.#waiting.delete(pending);
      callback();
    };
    this.#waiting.set(pending, due === null ? null : this.#deadlines.add(due, fire));
  }

  cancel(pending: Pending): void {
    const deadline = this.#waiting.get(pending);
    if (deadline !== undefined && deadline !== null) this.#deadlines.cancel(deadline);
    this.#waiting.delete(pending);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** When the first of them is due; Infinity when none is. */
  get next(): number {
    let next = Infinity;
    for (const deadline of this.#waiting.values()) if (deadline !== null && deadline.at < next) next = deadline.at;
    return next;
  }

  /** Whether all of them are far away, and one is a question: then a run of which nothing else is left can be put aside. */
  mayRest(now: number): boolean {
    let asked = false;
    for (const [pending, deadline] of this.#waiting) {
      if (deadline !== null && deadline.at - now <= NEAR_MS) return false;
      if (isAsked(pending)) asked = true;
    }
    return asked;
  }

  clear(): void {
    for (const deadline of this.#waiting.values()) if (deadline !== null) this.#deadlines.cancel(deadline);
    this.#waiting.clear();
  }
}
