/**
 * `reduce`: folds what the items left, in yield order, as soon as all earlier items are in. What is there before its turn
 * waits for it in an open item (C4).
 */
import { deepFreeze } from "../../base/freeze.ts";
import { syncOnly } from "../../base/sync-only.ts";
import type { CollectPlan } from "../../model/plan.ts";
import type { CollectState } from "../../state/collect.ts";
import type { Context } from "../../state/context.ts";
import type { Failure } from "../../state/failure.ts";
import { Gaps } from "../../state/gaps.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamInstance } from "../../state/stream.ts";
import { thrownFailure } from "../failures.ts";
import { hold, letGo } from "../hold.ts";
import { resolve } from "../queue.ts";

export function gatherReduce(run: RunState, collect: CollectState, item: Context, state: number, value: unknown): void {
  // Nothing that comes behind a failure changes it.
  if (collect.failure !== null) return;
  if (item.index !== collect.next) {
    keep(collect, item, state, value);
    return;
  }
  const stream = item.stream as StreamInstance;
  collect.next++;
  take(run, stream, collect, state, value);
  takeEarly(run, stream, collect);
}

/** C4 */
function keep(collect: CollectState, item: Context, state: number, value: unknown): void {
  if (leavesNothing(collect, state)) {
    collect.gaps ??= new Gaps();
    collect.gaps.add(item.index);
    return;
  }
  collect.early ??= new Map();
  collect.early.set(item.index, { item, state, value });
  item.started = true;
  hold(item);
}

function leavesNothing({ slot }: CollectState, state: number): boolean {
  if (isBroken(state)) return (slot.collect as CollectPlan).errors === "skip";
  return state !== Resolution.value && state !== Resolution.untaken;
}

/** All whose turn has come; of a fold that failed, the rest. */
function takeEarly(run: RunState, stream: StreamInstance, collect: CollectState): void {
  const { early } = collect;
  while (collect.failure === null) {
    collect.next = collect.gaps?.pass(collect.next) ?? collect.next;
    const next = early?.get(collect.next);
    if (next === undefined) return;
    early?.delete(collect.next++);
    take(run, stream, collect, next.state, next.value);
    letGo(next.item);
  }
  const left = [...(early?.values() ?? [])].toSorted((a, b) => a.item.index - b.item.index);
  early?.clear();
  for (const { item } of left) letGo(item);
}

function take(run: RunState, stream: StreamInstance, collect: CollectState, state: number, value: unknown): void {
  const { errors } = collect.slot.collect as CollectPlan;
  if (isBroken(state)) {
    if (errors === "fail") collect.failure = value as Failure;
    if (errors === "settle") fold(run, stream, collect, { ok: false, error: (value as Failure).error });
    return;
  }
  if (state !== Resolution.value && state !== Resolution.untaken) return;
  fold(run, stream, collect, errors === "settle" ? { ok: true, value } : value);
}

function fold(run: RunState, stream: StreamInstance, collect: CollectState, item: unknown): void {
  try {
    if (run.journaled) deepFreeze(item);
    const fn = collect.slot.fn as (accumulator: unknown, item: unknown) => unknown;
    collect.accumulator = syncOnly(fn(collect.accumulator, item), "the function of a reduce");
  } catch (thrown) {
    collect.failure = thrownFailure(run, stream.owner, collect.slot, "ReduceFailed", thrown, item);
  }
}

/** A stream that itself failed fails its reduce; `settle` takes it as one more item. */
export function fireReduce(run: RunState, stream: StreamInstance, collect: CollectState): void {
  const settles = (collect.slot.collect as CollectPlan).errors === "settle";
  if (settles && stream.failure !== null && collect.failure === null)
    fold(run, stream, collect, { ok: false, error: stream.failure.error });
  const failure = collect.failure ?? (settles ? null : stream.failure);
  if (failure === null) {
    resolve(stream.owner, collect.slot, Resolution.value, collect.accumulator);
  } else {
    const own = failure.anchor === collect.slot.id;
    resolve(stream.owner, collect.slot, own ? Resolution.failed : Resolution.skipped, failure);
  }
}
