/** Items set out for another stream. */
import type { FeedPlan, SlotPlan } from "../../model/plan.ts";
import { winByItem } from "./blocks/race.ts";
import { beginWork, failureOf } from "./consequences.ts";
import { openPassage, passageWork, stopUnread } from "./passages.ts";
import {
  enclosing,
  slotOf,
  type Parcel,
  type Part,
  type Place,
  type Resolved,
  type Stream,
  type World,
} from "./world.ts";

/** The watched slot of one item resolved: it is on its way, if there is something to pass on. */
export function sendOn(world: World, item: Place, feed: SlotPlan, how: Resolved): void {
  const { to, part } = feed.feed as FeedPlan;
  const target = slotOf(world, to);
  const { owner } = item.stream as Stream;
  const parcel = parcelOf(item, feed, how);
  if (target.zip === null && (parcel === null || !winByItem(world, owner, parcel.how))) return;
  const passage = openPassage(world, enclosing(owner, target.scope), target);
  if (passage === null) {
    stopUnread(world, owner, feed);
    return;
  }
  if (parcel !== null) beginWork(item, passageWork(feed));
  const into = passage.parts[part] as Part;
  if (target.zip !== null) into.arrived.set(item.index, parcel);
  else if (parcel !== null) into.waiting.push(parcel);
  while (into.arrived.has(into.next)) {
    const next = into.arrived.get(into.next) as Parcel | null;
    into.arrived.delete(into.next++);
    if (next !== null) into.waiting.push(next);
  }
}

/** Absent and swept items are not passed on; a failed one arrives as a failure that happened further in. */
function parcelOf(place: Place, feed: SlotPlan, how: Resolved): Parcel | null {
  if (place.closed || place.swept) return null;
  const failure = failureOf(how);
  if (failure !== null) return { how: { as: "skipped", failure }, from: [{ place, feed }] };
  if (how.as !== "value" && how.as !== "untaken") return null;
  return { how: { as: "value", value: how.as === "value" ? how.value : undefined }, from: [{ place, feed }] };
}
