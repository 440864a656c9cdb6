import type { StreamPlan } from "../model/plan.ts";
import type { CollectState } from "./collect.ts";
import type { Context } from "./context.ts";
import type { Forward } from "./forward.ts";
import type { Failure } from "./failure.ts";
import type { Lane } from "./lane.ts";
import type { OpenItems } from "./open-items.ts";
import type { Pending } from "./pending.ts";
import type { Region } from "./region.ts";

/** One stream in one context: the items of one `each` list or of one invocation of a generator. */
export class StreamInstance {
  readonly plan: StreamPlan;
  /** The context its source resolved in; collectors fire there. */
  readonly owner: Context;
  /** The elements of an `each`; null when a generator makes the items. */
  readonly list: readonly unknown[] | null;
  /** The generator's invocation while it runs. */
  producer: Pending | null = null;
  /** Items yielded so far; the next item's index. */
  yielded = 0;
  /** Open item contexts. S1: never more than `plan.buffer`. */
  openItems = 0;
  /** The producer waits for credit. */
  waiting = false;
  ended = false;
  /** Of an ephemeral generator that runs. */
  region: Region | null = null;
  /** Where its items come from, when that is other streams. */
  forward: Forward | null = null;
  /** Of a forwarded stream: its source failed, and it ends when all that is on its way has gone out. */
  failing: Failure | null = null;
  /** Ended because the source itself failed. */
  failure: Failure | null = null;
  dropped = 0;
  first: Context | null = null;
  last: Context | null = null;
  readonly lanes: (Lane | undefined)[] = [];
  readonly collects: CollectState[];
  /** Open items by index, kept only while a journal is replayed. */
  byIndex: OpenItems | null = null;

  constructor(plan: StreamPlan, owner: Context, list: readonly unknown[] | null, collects: CollectState[]) {
    this.plan = plan;
    this.owner = owner;
    this.list = list;
    this.collects = collects;
  }
}

/** S1 */
export function hasCredit(stream: StreamInstance): boolean {
  return stream.openItems < stream.plan.buffer;
}

export function linkItem(stream: StreamInstance, item: Context): void {
  item.previous = stream.last;
  if (stream.last === null) stream.first = item;
  else stream.last.next = item;
  stream.last = item;
  stream.openItems++;
  if (stream.byIndex !== null) stream.byIndex.add(item);
}

function unlinkItem(stream: StreamInstance, item: Context): void {
  if (item.previous === null) stream.first = item.next;
  else item.previous.next = item.next;
  if (item.next === null) stream.last = item.previous;
  else item.next.previous = item.previous;
  item.previous = null;
  item.next = null;
  stream.openItems--;
  if (stream.byIndex !== null) stream.byIndex.delete(item.index);
}

/** The item gives its credit back and is no longer found. */
export function retireItem(stream: StreamInstance, item: Context): void {
  item.closed = true;
  unlinkItem(stream, item);
}
