import { cloneData } from "../base/clone.ts";
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "./context.ts";
import type { Failure } from "./failure.ts";
import type { Relay } from "./forward.ts";
import type { Gaps } from "./gaps.ts";

/** Stands where an item left nothing: absent, swept, or skipped over. */
export const omitted: unique symbol = Symbol("omitted");

/** Stands where an item has not resolved yet, and a later one has. */
export const unresolved: unique symbol = Symbol("unresolved");

/** What a reduce holds for an item that resolved before an earlier one. C4: the item stays open meanwhile. */
export interface EarlyItem {
  readonly item: Context;
  readonly state: number;
  readonly value: unknown;
}

/** One collect, reduce or end over one stream instance. C1: `left` is the number of opened items whose watch is unresolved. */
export class CollectState {
  readonly slot: SlotPlan;
  left = 0;
  fired = false;
  /** collect: by index, `omitted` where nothing stands, `unresolved` where nothing stands yet. */
  readonly items: unknown[] = [];
  omissions = 0;
  /** Of the failed items, the first in yield order. */
  failure: Failure | null = null;
  failureIndex = -1;
  /** reduce: the fold of the items before `next`. */
  accumulator: unknown;
  next = 0;
  early: Map<number, EarlyItem> | null = null;
  /** Out of a block: what goes out of the streams in the items, by index, from the first that does to the end of each (C5). */
  relays: Map<number, Relay> | null = null;
  /** reduce: items behind `next` that left nothing to fold. */
  gaps: Gaps | null = null;

  constructor(slot: SlotPlan) {
    this.slot = slot;
    this.accumulator = cloneData(slot.collect?.initial);
  }
}
