import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "./context.ts";

/** What the runtime has to do next for an invocation. */
export const Todo = {
  /** Start attempt `attempt`. */
  start: 0,
  /** Ask the generator for its next item. */
  pull: 1,
  /** Start attempt `attempt` at `due`. */
  retry: 2,
  /** Nothing: the body runs, or a generator waits for credit. */
  none: 3,
  /** Wait until `due`, if that is not 0, or for an answer. */
  wait: 4,
} as const;
export type Todo = (typeof Todo)[keyof typeof Todo];

/**
 * One dispatched invocation of an op: the key of every effect that belongs to it. It stands in its slot's value while
 * the slot is `running`; the event that answers it takes it out, so a late answer finds another value there.
 */
export class Pending {
  readonly context: Context;
  readonly slot: SlotPlan;
  /** Captured at dispatch; a resumed body gets the same. */
  readonly input: unknown;
  /** `Flag`s, id and local index of the slot: at hand without touching it. */
  readonly flags: number;
  readonly id: number;
  readonly local: number;
  attempt = 1;
  todo: Todo = Todo.start;
  /** Epoch milliseconds at which the next attempt is due. */
  due = 0;
  /** Items of a generator that the state has taken. */
  yielded = 0;
  /** Sequence number of the record whose step dispatched it: its effects wait until that is durable. */
  seq = 0;
  /** Link of the one queue it is in: effects, held back, or waiting for a permit. */
  next: Pending | null = null;
  /** Owned by the runtime: what it keeps of a body in flight, if anything. */
  body: unknown = null;

  constructor(context: Context, slot: SlotPlan, id: number, local: number, flags: number, input: unknown) {
    this.context = context;
    this.slot = slot;
    this.input = input;
    this.flags = flags;
    this.id = id;
    this.local = local;
  }
}

/** Is `pending` still what its slot waits for? A late answer finds something else there. */
export function isCurrent(pending: Pending): boolean {
  return pending.context.values[pending.local] === pending;
}

/**
 * First in, first out, linked through the invocations themselves: a run that waits holds no storage for it. A ring, whose
 * last knows the first: the queue is older than what is in it, and the collector notes each time it is told of a new one.
 */
export class PendingQueue {
  #last: Pending | null = null;

  get empty(): boolean {
    return this.#last === null;
  }

  peek(): Pending | null {
    return this.#last === null ? null : this.#last.next;
  }

  push(pending: Pending): void {
    const last = this.#last;
    if (last === null) pending.next = pending;
    else {
      pending.next = last.next;
      last.next = pending;
    }
    this.#last = pending;
  }

  take(): Pending | null {
    const last = this.#last;
    if (last === null) return null;
    const first = last.next as Pending;
    if (first === last) this.#last = null;
    else last.next = first.next;
    first.next = null;
    return first;
  }

  clear(): void {
    this.#last = null;
  }
}
