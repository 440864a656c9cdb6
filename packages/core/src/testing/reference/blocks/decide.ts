/** Rule 9: choices are made once. The journal's are taken, in the order in which blocks come to them. */
import { indicesOf } from "../paths.ts";
import { Illegal, type Place, type World } from "../world.ts";
import type { SlotPlan } from "../../../model/plan.ts";

export interface Choice {
  /** What the block would choose; null when that cannot be said without asking a fickle function again. */
  readonly due: number | null;
  readonly from: readonly number[];
}

/** @throws Illegal when the journal has no such choice here, or another one. */
export function decide(world: World, place: Place, slot: SlotPlan, { due, from }: Choice): number {
  // Nothing that happens among items of an ephemeral generator is recorded.
  if (place.scope.ephemeral >= 0) return due ?? (from[0] as number);
  const next = world.decisions.shift();
  const what = `"${slot.name}" at ${indicesOf(place).join(".")}`;
  if (next === undefined) throw new Illegal(`${what} decides, and the journal does not say what`);
  const said = `slot ${next.slot} at ${next.at === 0 ? "" : next.at.join(".")}`;
  if (said !== `slot ${slot.id} at ${indicesOf(place).join(".")}`)
    throw new Illegal(`${what} decides, and the journal has a choice of ${said}`);
  if (!from.includes(next.choice) || (due !== null && next.choice !== due))
    throw new Illegal(`${what} chose ${next.choice}, and ${due ?? `one of ${from.join(", ")}`} was due`);
  return next.choice;
}
