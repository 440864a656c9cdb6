/** Items set out for another stream. */
import type { FeedPlan, SlotPlan } from "../../model/plan.ts";
import { winByItem } from "./blocks/race.ts";
import { beginWork, failureOf } from "./consequences.ts";
import { isNested, newInner, wakeInner } from "./inner-passages.ts";
import { openPassage, passageWork, stopUnread } from "./passages.ts";
import {
  at,
  enclosing,
  slotOf,
  type Parcel,
  type Part,
  type Passage,
  type Place,
  type Resolved,
  type Stream,
  type World,
} from "./world.ts";

/** The watched slot of one item resolved: it is on its way, if there is something to pass on. */
export function sendOn(world: World, item: Place, feed: SlotPlan, how: Resolved): void {
  const { to, part } = feed.feed as FeedPlan;
  const target = slotOf(world, to);
  const parcel = parcelOf(item, feed, how);
  const streams = slotOf(world, feed.collect?.watch ?? -1);
  if (target.zip !== null) sendToZip(world, item, feed, parcel, part);
  else if (isNested(streams)) sendWhole(world, item, feed, streams, parcel);
  else if (parcel !== null) setOut(world, item, feed, parcel);
}

function sendToZip(world: World, item: Place, feed: SlotPlan, parcel: Parcel | null, part: number): void {
  const { owner } = item.stream as Stream;
  const passage = openPassage(world, owner, slotOf(world, feed.feed?.to ?? -1));
  if (passage === null) {
    stopUnread(world, owner, feed);
    return;
  }
  if (parcel !== null) beginWork(item, passageWork(feed));
  const into = passage.parts[part] as Part;
  into.arrived.set(item.index, parcel);
  while (into.arrived.has(into.next)) {
    const next = into.arrived.get(into.next) as Parcel | null;
    into.arrived.delete(into.next++);
    if (next !== null) into.waiting.push(next);
  }
}

/** An item with a stream in it goes out with the first item of that; or, when that had none, as the stream ended. */
function sendWhole(world: World, item: Place, feed: SlotPlan, streams: SlotPlan, parcel: Parcel | null): void {
  if (parcel === null || world.innerPassages.has(at(item, streams.id))) return;
  const inner = newInner(world, item, streams);
  const failure = failureOf(parcel.how);
  if (failure === null) (inner.passage.parts[0] as Part).ended = true;
  else inner.passage.broken = failure;
  setOut(world, item, feed, { ...parcel, inner });
}

/** False when it does not go out. */
function setOut(world: World, item: Place, feed: SlotPlan, parcel: Parcel): boolean {
  if (!winByItem(world, bodyAround(world, item, feed), parcel.how)) return false;
  const passage = isNested(feed) ? innerOf(world, item, feed) : outOf(world, item, feed);
  if (passage === null) {
    stopUnread(world, (item.stream as Stream).owner, feed);
    return false;
  }
  beginWork(item, passageWork(feed));
  (passage.parts[0] as Part).waiting.push(parcel);
  return true;
}

function outOf(world: World, item: Place, feed: SlotPlan): Passage | null {
  const target = slotOf(world, feed.feed?.to ?? -1);
  return openPassage(world, enclosing((item.stream as Stream).owner, target.scope), target);
}

/** The passage of the stream that `item` is of, which is in an item itself; that one sets out with its first. */
function innerOf(world: World, item: Place, feed: SlotPlan): Passage | null {
  const { owner } = item.stream as Stream;
  const known = world.innerPassages.get(at(owner, feed.id));
  if (known !== undefined) return wakeInner(world, known) ? known.passage : null;
  const inner = newInner(world, owner, feed);
  const outer = slotOf(world, feed.feed?.outer ?? -1);
  const from = [{ place: owner, feed: outer }];
  inner.gone = !setOut(world, owner, outer, { how: { as: "value", value: undefined }, from, inner });
  return inner.gone ? null : inner.passage;
}

/** The body of the block that the item is about to leave. */
function bodyAround(world: World, item: Place, feed: SlotPlan): Place {
  const { owner } = item.stream as Stream;
  return isNested(feed) ? bodyAround(world, owner, slotOf(world, feed.feed?.outer ?? -1)) : owner;
}

/** Absent and swept items are not passed on; a failed one arrives as a failure that happened further in. */
function parcelOf(place: Place, feed: SlotPlan, how: Resolved): Parcel | null {
  if (place.closed || place.swept) return null;
  const failure = failureOf(how);
  if (failure !== null) return { how: { as: "skipped", failure }, from: [{ place, feed }], inner: null };
  if (how.as !== "value" && how.as !== "untaken") return null;
  return {
    how: { as: "value", value: how.as === "value" ? how.value : undefined },
    from: [{ place, feed }],
    inner: null,
  };
}
