import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import { Relay, Zip, type Forward, type Parcel } from "../state/forward.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import { markReady } from "./queue.ts";

/** What the slot passes on, which has something to do now; null when it is over. */
export function openForward(owner: Context, target: SlotPlan): Forward | null {
  const state = owner.states[target.local] as number;
  if (isResolved(state)) return null;
  if (state !== Resolution.open) {
    owner.states[target.local] = Resolution.open;
    owner.values[target.local] = target.zip === null ? new Relay() : new Zip(target.zip.keys, joined);
  }
  markReady(owner, target);
  return owner.values[target.local] as Forward;
}

function joined(parcels: readonly Parcel[], keys: readonly string[]): Parcel {
  const items = parcels.flatMap((parcel) => parcel.items);
  const failed = parcels.find(({ state }) => state !== Resolution.value);
  if (failed !== undefined) return { ...failed, items };
  const value: Record<string, unknown> = {};
  keys.forEach((key, i) =>
    Object.defineProperty(value, key, {
      value: parcels[i]?.value,
      enumerable: true,
      configurable: true,
      writable: true,
    }),
  );
  return { state: Resolution.value, value, items };
}

/** Nothing more comes: the arm's stream ended, or the block that streams leave is through. */
export function endForward(owner: Context, target: SlotPlan): void {
  const forward = openForward(owner, target);
  if (forward instanceof Relay) forward.ended = true;
}
