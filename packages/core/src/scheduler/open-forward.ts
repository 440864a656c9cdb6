import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { Relay, Zip, type Forward, type Parcel } from "../state/forward.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import { letGo } from "./hold.ts";
import { markReady, resolve } from "./queue.ts";

/** What the slot passes on, which has something to do now; null when it is over. */
export function openForward(owner: Context, target: SlotPlan): Forward | null {
  const state = owner.states[target.local] as number;
  if (isResolved(state)) return null;
  if (state !== Resolution.open) {
    owner.states[target.local] = Resolution.open;
    owner.values[target.local] = target.zip === null ? new Relay(target.id, null) : new Zip(target.zip.keys, joined);
  }
  markReady(owner, target);
  return owner.values[target.local] as Forward;
}

/** One pair of a zip. */
export function joined(parcels: readonly Parcel[], keys: readonly string[]): Parcel {
  const items = parcels.flatMap((parcel) => parcel.items);
  const inner = null;
  const failed = parcels.find(({ state }) => state !== Resolution.value);
  if (failed !== undefined) return { ...failed, items, inner };
  const value: Record<string, unknown> = {};
  keys.forEach((key, i) =>
    Object.defineProperty(value, key, {
      value: parcels[i]?.value,
      enumerable: true,
      configurable: true,
      writable: true,
    }),
  );
  return { state: Resolution.value, value, items, inner };
}

/** It went out, or never will. */
export function letClose({ items }: Parcel): void {
  for (const item of items) letGo(item);
}

/** They will not go out, and nothing of what is in them. */
export function discard(parcels: readonly Parcel[]): void {
  for (const parcel of parcels) {
    letClose(parcel);
    if (parcel.inner === null) continue;
    parcel.inner.gone = true;
    discard(parcel.inner.clear());
  }
}

/** The slot resolves before anything of it could go out, and without a value. */
export function closeForward(owner: Context, target: SlotPlan, state: number, value: unknown): void {
  const { states, streams } = owner;
  if (isResolved(states[target.local] as number)) return;
  const isOpen = states[target.local] === Resolution.open;
  if (isOpen && streams?.some(({ plan }) => plan.id === target.stream) !== true)
    discard((owner.values[target.local] as Forward).clear());
  resolve(owner, target, state, value);
}

/** Nothing more comes: the arm's stream ended, or the block that streams leave is through. */
export function endForward(owner: Context, target: SlotPlan): void {
  const forward = openForward(owner, target);
  if (forward instanceof Relay) forward.ended = true;
}
