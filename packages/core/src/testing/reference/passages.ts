/**
 * Rules 1 and 5: items of one stream on their way into another, out of a block or into a `zip`. An item on its way keeps
 * the item that it comes from open, so that the credit of the stream it comes from bounds it; one whose origin was swept
 * or dropped goes nowhere.
 *
 * Out of a block items go in the order they arrive. A zip takes one of each part at a time, in yield order, and passes
 * over those that left nothing.
 */
import type { FeedPlan, SlotPlan } from "../../model/plan.ts";
import { endWork, failureOf, ready, resolve } from "./consequences.ts";
import { breakInner, endInner, isNested } from "./inner-passages.ts";
import {
  at,
  enclosing,
  slotOf,
  type Failure,
  type Parcel,
  type Part,
  type Passage,
  type Place,
  type Resolved,
  type Stream,
  type World,
} from "./world.ts";

export function passageWork(feed: SlotPlan): string {
  return `passage by ${feed.id}`;
}

/** What `target` passes on, which has something to do now; null when it is over. */
export function openPassage(world: World, owner: Place, target: SlotPlan): Passage | null {
  const key = at(owner, target.id);
  if (world.resolved.has(key)) return null;
  const known = world.passages.get(key) ?? newPassage(target);
  world.passages.set(key, known);
  ready(world, owner, target);
  return known;
}

function newPassage(target: SlotPlan): Passage {
  const count = target.zip?.keys.length ?? 1;
  return { slot: target, parts: Array.from({ length: count }, newPart), count: 0, broken: null };
}

function newPart(): Part {
  return { arrived: new Map(), next: 0, waiting: [], ended: false, failure: null };
}

/** Nothing more comes into a part: a stream inside ended, or the block around it. */
export function endPart(world: World, owner: Place, target: SlotPlan, part = 0, failure: Failure | null = null): void {
  const passage = openPassage(world, owner, target);
  if (passage === null) return;
  const ended = passage.parts[part] as Part;
  ended.ended = true;
  ended.failure = failure;
}

/** A stream that is to be passed on ended, with all its items through. */
export function feedEnded(world: World, stream: Stream, feed: SlotPlan): void {
  const { owner, failure } = stream;
  const { to, part } = feed.feed as FeedPlan;
  const target = slotOf(world, to);
  if (isNested(feed)) {
    if (failure === null) endInner(world, owner, feed);
  } else if (target.zip !== null && failure === null) endPart(world, owner, target, part);
  resolve(world, owner, feed, failure === null ? { as: "value", value: undefined } : { as: "skipped", failure });
}

/** It never was, or failed. Of a choice or a race, the arm's own end says the same; of a swept body nothing counts. */
export function feedBroke(world: World, place: Place, feed: SlotPlan, how: Resolved): void {
  const { to, part } = feed.feed as FeedPlan;
  const target = slotOf(world, to);
  const failure = failureOf(how);
  if (isNested(feed)) breakInner(world, place, feed, failure);
  else if (target.zip !== null) {
    if (failure === null) {
      resolve(world, place, target, how);
      stopParts(world, place, target);
    } else endPart(world, place, target, part, failure);
  } else if (target.arms === null && failure !== null && !place.swept)
    resolve(world, enclosing(place, target.scope), target, { as: "skipped", failure });
}

/** Is there one that can go out now? Those whose origin is gone are forgotten. */
export function hasNext({ parts }: Passage): boolean {
  for (const part of parts) part.waiting = part.waiting.filter(({ from }) => from.every(({ place }) => isThere(place)));
  return parts.every(({ waiting }) => waiting.length > 0);
}

function isThere({ closed, swept }: Place): boolean {
  return !closed && !swept;
}

/** The next to go out; a failed one makes its whole pair fail. */
export function takeNext(passage: Passage): Parcel {
  const { parts } = passage;
  const { zip } = passage.slot;
  passage.count++;
  const taken = parts.map(({ waiting }) => waiting.shift() as Parcel);
  const from = taken.flatMap((parcel) => parcel.from);
  const [first] = taken as [Parcel];
  if (zip === null) return first;
  const failed = taken.find(({ how }) => how.as !== "value");
  if (failed !== undefined) return { how: failed.how, from, inner: null };
  const values = taken.map(({ how }) => (how.as === "value" ? how.value : undefined));
  return {
    how: { as: "value", value: Object.fromEntries(zip.keys.map((key, i) => [key, values[i]])) },
    from,
    inner: null,
  };
}

/** One part ended before another: how many items each has that is known to have ended. */
export interface Uneven {
  readonly shorter: number;
  readonly lengths: readonly (number | null)[];
}

export type PassageEnd = "even" | { readonly uneven: Uneven } | { readonly failure: Failure };

/** How it is over; null while it may go on. Asked when nothing can go out. */
export function endOf({ slot, parts, broken, count }: Passage): PassageEnd | null {
  if (broken !== null) return { failure: broken };
  const usedUp = parts.filter(({ ended, waiting }) => ended && waiting.length === 0);
  if (usedUp.length === 0) return null;
  const failed = usedUp.find(({ failure }) => failure !== null)?.failure ?? null;
  if (failed !== null) return { failure: failed };
  if (slot.zip?.uneven === "stop") return "even";
  // As soon as it is certain: one that waits for its turn has no partner either.
  if (parts.some((part) => onTheirWay(part) > 0)) {
    const lengths = parts.map((part) => (part.ended && part.failure === null ? count + onTheirWay(part) : null));
    return { uneven: { shorter: parts.indexOf(usedUp[0] as Part), lengths } };
  }
  return usedUp.length === parts.length ? "even" : null;
}

function onTheirWay({ waiting, arrived }: Part): number {
  const early = [...arrived.values()].filter((parcel) => parcel !== null);
  return [...waiting, ...early].filter(({ from }) => from.every(({ place }) => isThere(place))).length;
}

/** A zip is over: what makes the items of its parts has no use any more, if nothing else is done with them. */
export function stopParts(world: World, owner: Place, zip: SlotPlan): void {
  for (const feed of zip.fedBy ?? []) stopUnread(world, owner, slotOf(world, feed));
}

/** The items of a stream have nowhere to go: whatever they were fed into is over. It is swept in its turn. */
export function stopUnread(world: World, owner: Place, feed: SlotPlan): void {
  const stream = world.plan.streams[feed.collect?.stream ?? -1];
  if (stream?.passedOn !== true) return;
  if (stream.collectors.every((collector) => isOver(world, owner, slotOf(world, collector)))) ready(world, owner, feed);
}

function isOver(world: World, owner: Place, feed: SlotPlan): boolean {
  if (isNested(feed)) return isInnerOver(world, owner, feed);
  const target = slotOf(world, feed.feed?.to ?? -1);
  return world.resolved.has(at(enclosing(owner, target.scope), target.id));
}

/** Of a stream in an item that leaves a block: what is in it has no item outside to go to. */
function isInnerOver(world: World, item: Place, feed: SlotPlan): boolean {
  if (world.resolved.has(at(item, feed.id))) return false;
  const inner = world.innerPassages.get(at(item, feed.id));
  if (inner === undefined) return isOver(world, (item.stream as Stream).owner, slotOf(world, feed.feed?.outer ?? -1));
  const { outside, gone, passage } = inner;
  return gone || (outside !== null && (outside.closed || world.resolved.has(at(outside, passage.slot.id))));
}

/** It went out, or never will: the items that it comes from may close. */
export function letGo(world: World, { from }: Parcel): void {
  for (const { place, feed } of from) if (isThere(place)) endWork(world, place, passageWork(feed));
}

export function letAllGo(world: World, { parts }: Passage): void {
  for (const part of parts) {
    const early = [...part.arrived.values()].filter((parcel) => parcel !== null);
    for (const parcel of [...part.waiting.splice(0), ...early]) {
      letGo(world, parcel);
      if (parcel.inner === null) continue;
      parcel.inner.gone = true;
      letAllGo(world, parcel.inner.passage);
    }
    part.arrived.clear();
  }
}
