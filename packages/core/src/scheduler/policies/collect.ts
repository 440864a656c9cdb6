/** `collect`: the array of what the items left, in yield order. */
import type { CollectPlan } from "../../model/plan.ts";
import { omitted, unresolved, type CollectState } from "../../state/collect.ts";
import type { Failure } from "../../state/failure.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { StreamInstance } from "../../state/stream.ts";
import { resolve } from "../queue.ts";

export function gatherCollect(collect: CollectState, index: number, state: number, value: unknown): void {
  const { errors } = collect.slot.collect as CollectPlan;
  if (state === Resolution.value || state === Resolution.untaken) {
    put(collect.items, index, errors === "settle" ? { ok: true, value } : value);
  } else if (isBroken(state)) {
    gatherFailure(collect, errors, index, value as Failure);
  } else {
    put(collect.items, index, omitted);
  }
}

function gatherFailure(collect: CollectState, errors: CollectPlan["errors"], index: number, failure: Failure): void {
  put(collect.items, index, errors === "settle" ? { ok: false, error: failure.error } : omitted);
  if (errors === "fail" && (collect.failure === null || index < collect.failureIndex)) {
    collect.failure = failure;
    collect.failureIndex = index;
  }
}

/** Items resolve in any order; the array stays dense. */
function put(items: unknown[], index: number, item: unknown): void {
  for (let i = items.length; i < index; i++) items[i] = unresolved;
  items[index] = item;
}

export function fireCollect(stream: StreamInstance, collect: CollectState): void {
  const failure = collect.failure ?? failedStream(stream, collect);
  if (failure !== null) {
    resolve(stream.owner, collect.slot, Resolution.skipped, failure);
    return;
  }
  const items = itemsLeft(collect);
  if (stream.failure !== null) items.push({ ok: false, error: stream.failure.error });
  resolve(stream.owner, collect.slot, Resolution.value, items);
}

export function itemsLeft({ items }: CollectState): unknown[] {
  return items.includes(omitted) ? items.filter((item) => item !== omitted) : items;
}

/** A stream that itself failed fails its collect, whatever `skip` says of items; `settle` takes it as one more entry. */
function failedStream(stream: StreamInstance, collect: CollectState): Failure | null {
  return (collect.slot.collect as CollectPlan).errors === "settle" ? null : stream.failure;
}
