/** `reduce`: folds what the items left, in yield order, as soon as all earlier items are in. */
import { deepFreeze } from "../../base/freeze.ts";
import { syncOnly } from "../../base/sync-only.ts";
import type { CollectPlan } from "../../model/plan.ts";
import type { CollectState } from "../../state/collect.ts";
import type { Failure } from "../../state/failure.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamInstance } from "../../state/stream.ts";
import { thrownFailure } from "../failures.ts";
import { resolve } from "../queue.ts";

export function gatherReduce(
  run: RunState,
  stream: StreamInstance,
  collect: CollectState,
  index: number,
  state: number,
  value: unknown,
): void {
  if (index !== collect.next) {
    collect.early ??= new Map();
    collect.early.set(index, { state, value });
    return;
  }
  take(run, stream, collect, state, value);
  for (let early = collect.early?.get(collect.next); early !== undefined; early = collect.early?.get(collect.next)) {
    collect.early?.delete(collect.next);
    take(run, stream, collect, early.state, early.value);
  }
}

function take(run: RunState, stream: StreamInstance, collect: CollectState, state: number, value: unknown): void {
  collect.next++;
  if (collect.failure !== null) return;
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
