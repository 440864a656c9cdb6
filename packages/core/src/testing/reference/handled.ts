/**
 * Rule 10, read off the plan: a failure is handled when every way from its slot meets a `skip`, a `settle`, a race or a
 * fallback before it gets to an output or a dead end. Within the body of a fallback, what nothing meets ends the body.
 */
import { SlotKind, type CollectPlan, type FeedPlan, type Plan, type SlotPlan } from "../../model/plan.ts";

export interface Handling {
  readonly handled: boolean;
  /** The fallback (a slot) whose body it ends, or -1. */
  readonly catcher: number;
}

/** By plan: of the slots that were asked about, and of those on their ways. */
const known = new WeakMap<Plan, Map<number, boolean>>();

export function handlingOf(plan: Plan, slot: SlotPlan): Handling {
  let met = known.get(plan);
  if (met === undefined) known.set(plan, (met = new Map()));
  if (isMet(plan, slot, met)) return { handled: true, catcher: -1 };
  const around = takerAround(plan, slot);
  return { handled: around !== null, catcher: around?.kind === SlotKind.fallback ? around.id : -1 };
}

/** The next of the blocks around that takes failures: a race, or a fallback around its body. */
function takerAround({ scopes, slots }: Plan, slot: SlotPlan): SlotPlan | null {
  for (let at = scopes[slot.scope]; at !== undefined; at = scopes[at.parent]) {
    const block = slots[at.block];
    if (block?.kind === SlotKind.race || (block?.kind === SlotKind.fallback && at.arm === 0)) return block;
  }
  return null;
}

/** A way on; or where a way ends: it is met, or lost. */
type Way = SlotPlan | "met" | "lost";

function isMet(plan: Plan, slot: SlotPlan, met: Map<number, boolean>): boolean {
  const already = met.get(slot.id);
  if (already !== undefined) return already;
  const ways = plan.slots.flatMap((other) => wayTo(plan, slot, other) ?? []);
  const all = ways.length > 0 && ways.every((way) => (typeof way === "string" ? way === "met" : isMet(plan, way, met)));
  met.set(slot.id, all);
  return all;
}

function wayTo(plan: Plan, slot: SlotPlan, other: SlotPlan): Way | null {
  const { collect, dependencies } = other;
  if (dependencies.some((dependency) => dependency.slot === slot.id)) return other;
  if (other.feed !== null) return wayThrough(plan, slot, other);
  if (collect !== null) return wayToCollector(plan, slot, other);
  return wayOutOfBlock(slot, other);
}

function wayOutOfBlock(slot: SlotPlan, other: SlotPlan): Way | null {
  const { arms, block, fedBy } = other;
  if (fedBy?.includes(slot.id) === true) return other;
  if (arms?.block === slot.id || arms?.from.includes(slot.id) === true) return other;
  if (block?.results.includes(slot.id) !== true) return null;
  return other.kind === SlotKind.fallback && block.results[0] === slot.id ? "lost" : other;
}

/**
 * An item that is passed on fails where it arrives, and a stream that failed ends the one it goes into. What leaves the body
 * of a fallback was not met in it.
 */
function wayThrough(plan: Plan, slot: SlotPlan, other: SlotPlan): Way | null {
  const { feed, collect } = other as { feed: FeedPlan; collect: CollectPlan };
  const target = plan.slots[feed.to] as SlotPlan;
  let way: SlotPlan | null = null;
  if (collect.watch === slot.id) way = itemOf(plan, target.stream);
  else if (plan.streams[collect.stream]?.source === slot.id) way = target;
  return way !== null && leavesBody(plan, other, target) ? "lost" : way;
}

function itemOf({ scopes, slots, streams }: Plan, stream: number): SlotPlan {
  const scope = scopes[streams[stream]?.itemScope ?? 0];
  return slots[scope?.slots[0] ?? 0] as SlotPlan;
}

/** With the stream around it, if it is in an item of that. */
function leavesBody(plan: Plan, feed: SlotPlan, target: SlotPlan): boolean {
  const { scopes, slots } = plan;
  const outer = slots[feed.feed?.outer ?? -1];
  if (outer !== undefined) return leavesBody(plan, outer, target);
  const scope = scopes[feed.scope];
  return slots[scope?.block ?? -1]?.kind === SlotKind.fallback && scope?.arm === 0 && target.scope !== feed.scope;
}

/** Items that failed stop at `skip` and `settle`, streams that failed at `settle`; an `end` takes items as they come. */
function wayToCollector({ streams }: Plan, slot: SlotPlan, collector: SlotPlan): Way | null {
  const { errors, stream, watch } = collector.collect as NonNullable<SlotPlan["collect"]>;
  // Whoever is told what its items came to is told nothing of its own failure.
  if (streams[stream]?.source === slot.id)
    return collector.kind === SlotKind.deliver ? null : errors === "settle" ? "met" : collector;
  if (watch !== slot.id || collector.kind === SlotKind.end) return null;
  return errors === "fail" ? collector : "met";
}
