/**
 * All timers of an engine on one host timer: a binary heap by due time. Arming and disarming cost a few nanoseconds per
 * op where a host timer would cost hundreds; a disarmed entry stays in the heap until it is due or half of it is dead.
 */
import type { Clock } from "../ports/clock.ts";

export class Deadline {
  readonly at: number;
  callback: (() => void) | null;

  constructor(at: number, callback: () => void) {
    this.at = at;
    this.callback = callback;
  }
}

export class Deadlines {
  readonly #clock: Clock;
  #heap: Deadline[] = [];
  #dead = 0;
  #armedFor = Infinity;
  #disarm: (() => void) | null = null;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls back once at epoch milliseconds `at` or as soon after as the host allows. */
  add(at: number, callback: () => void): Deadline {
    const deadline = new Deadline(at, callback);
    this.#push(deadline);
    this.#arm();
    return deadline;
  }

  cancel(deadline: Deadline): void {
    if (deadline.callback === null) return;
    deadline.callback = null;
    this.#dead++;
    if (this.#dead > 32 && this.#dead * 2 > this.#heap.length) this.#compact();
    this.#arm();
  }

  /** Live timers; zero when every run ended (I11). */
  get size(): number {
    return this.#heap.length - this.#dead;
  }

  /** What is added from now on never comes: whoever tries again and again has nobody left to do it for. */
  close(): void {
    this.#closed = true;
    this.#disarm?.();
    this.#disarm = null;
    this.#heap = [];
    this.#dead = 0;
    this.#armedFor = Infinity;
  }

  #fire(): void {
    this.#disarm = null;
    this.#armedFor = Infinity;
    const now = this.#clock.now();
    for (let top = this.#heap[0]; top !== undefined && top.at <= now; top = this.#heap[0]) {
      this.#pop();
      const { callback } = top;
      if (callback === null) this.#dead--;
      else {
        top.callback = null;
        callback();
      }
    }
    this.#arm();
  }

  #arm(): void {
    if (this.#closed) return;
    if (this.size === 0) {
      this.#disarm?.();
      this.#disarm = null;
      this.#armedFor = Infinity;
      return;
    }
    const first = this.#heap[0];
    if (first === undefined || first.at >= this.#armedFor) return;
    this.#disarm?.();
    this.#armedFor = first.at;
    this.#disarm = this.#clock.timer(Math.max(0, first.at - this.#clock.now()), () => this.#fire());
  }

  #compact(): void {
    const live = this.#heap.filter((deadline) => deadline.callback !== null);
    this.#heap = [];
    this.#dead = 0;
    for (const deadline of live) this.#push(deadline);
  }

  #push(deadline: Deadline): void {
    const heap = this.#heap;
    let at = heap.push(deadline) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((heap[parent] as Deadline).at <= deadline.at) break;
      heap[at] = heap[parent] as Deadline;
      at = parent;
    }
    heap[at] = deadline;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && (heap[child + 1] as Deadline).at < (heap[child] as Deadline).at) child++;
      if ((heap[child] as Deadline).at >= last.at) break;
      heap[at] = heap[child] as Deadline;
      at = child;
    }
    heap[at] = last;
  }
}
