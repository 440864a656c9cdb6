import type { ScopePlan } from "../model/plan.ts";
import type { BlockInstance } from "./block.ts";
import type { StreamInstance } from "./stream.ts";

/** Someone in a deeper context that waits for a slot of this one. */
export interface Waiter {
  readonly context: Context;
  readonly slot: number;
  readonly after: boolean;
}

/**
 * One instance of a scope. `states` and `values` are indexed by the slot's local index; what a value is depends on the
 * state (see `Resolution`): the value itself, a `Failure`, or the `Pending` of a running op. While an `each` or a
 * generator runs, its stream instance is in `streams`.
 */
export class Context {
  readonly scope: ScopePlan;
  readonly parent: Context | null;
  /** The stream instance whose item this is, or null. */
  readonly stream: StreamInstance | null;
  /** The block instance that opened it, or null. */
  block: BlockInstance | null = null;
  /** Which item of its stream, or which iteration of its loop. */
  readonly index: number;
  states: number[];
  values: unknown[];
  /** Work that keeps it from closing: queued and running ops, waits for outer slots, open streams and blocks (K2). */
  open = 0;
  /** Of `open`: passages of its value into other streams (T1), and turns in folds that it waits for (C4). */
  holds = 0;
  closed = false;
  /** It was swept, and is open for the unsafe bodies in it alone: what they give goes nowhere. */
  abandoned = false;
  /** An op was dispatched in it or in an arm of it, or a fold waits to take it: no longer a candidate for `dropOldest`. */
  started = false;
  waiters: Map<number, Waiter[]> | null = null;
  streams: StreamInstance[] | null = null;
  blocks: BlockInstance[] | null = null;
  /** Neighbours among the open items of `stream`, in yield order. */
  previous: Context | null = null;
  next: Context | null = null;

  /** `states` and `values` are its own from now on. */
  constructor(
    scope: ScopePlan,
    states: number[],
    values: unknown[],
    parent: Context | null,
    stream: StreamInstance | null,
    index: number,
  ) {
    this.scope = scope;
    this.parent = parent;
    this.stream = stream;
    this.index = index;
    this.states = states;
    this.values = values;
  }
}

/** The states and values of a closed context. */
export const freed: never[] = [];

/** The context of `scope` depth that encloses `context`. */
export function enclosing(context: Context, depth: number): Context {
  let at = context;
  while (at.scope.depth > depth && at.parent !== null) at = at.parent;
  return at;
}
