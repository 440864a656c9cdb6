/** Rule 5: streams, their items, and the credit that an open item holds. */
import { SlotKind, type SlotPlan, type StreamPlan } from "../../model/plan.ts";
import { passAll } from "./calls.ts";
import { beginWork, closePlace, endWork, fail, failureOf, ready, resolve, skip, streamWork } from "./consequences.ts";
import { collectorsOf, fireIfDone } from "./collectors.ts";
import { record } from "./failures.ts";
import { endOf, hasNext, letAllGo, letGo, stopParts, takeNext, type PassageEnd, type Uneven } from "./passages.ts";
import { touch } from "./paths.ts";
import { openPlace } from "./places.ts";
import { sweep } from "./sweep.ts";
import {
  at,
  Illegal,
  slotOf,
  streamKey,
  streamOf,
  type Failure,
  type InnerPassage,
  type Place,
  type Resolved,
  type Stream,
  type World,
} from "./world.ts";

export function openStream(world: World, owner: Place, source: SlotPlan, list: readonly unknown[] | null): Stream {
  const plan = world.plan.streams[source.stream] as StreamPlan;
  const key = streamKey(owner, plan.id);
  const stream: Stream = {
    key,
    plan,
    owner,
    list,
    items: 0,
    open: [],
    ended: false,
    failure: null,
    suspended: false,
    passage: null,
  };
  world.streams.set(key, stream);
  touch(owner);
  beginWork(owner, streamWork(stream));
  return stream;
}

/** `how`: of the item itself; one that was passed on may have failed where it comes from. */
export function openItem(world: World, stream: Stream, how: Resolved): Place {
  const scope = world.plan.scopes[stream.plan.itemScope];
  if (scope === undefined) throw new Illegal(`stream ${stream.plan.id} has no item scope`);
  const index = stream.items++;
  const key = `${stream.owner.key}/${stream.plan.id}[${index}]`;
  const item: Place = {
    key,
    scope,
    outer: stream.owner,
    stream,
    block: null,
    index,
    work: new Set(),
    touched: false,
    swept: false,
    closed: false,
  };
  stream.open.push(item);
  resolve(world, item, slotOf(world, scope.slots[0] as number), how);
  openPlace(world, item);
  return item;
}

/** No more items. */
export function endStream(world: World, stream: Stream, failure: Failure | null): void {
  if (stream.ended) return;
  stream.ended = true;
  stream.failure = failure;
  if (stream.passage !== null) letAllGo(world, stream.passage);
  for (const collector of collectorsOf(world, stream.plan.id)) fireIfDone(world, stream, collector);
  finishIfDone(world, stream);
}

export function finishIfDone(world: World, stream: Stream): void {
  const name = streamWork(stream);
  if (stream.ended && stream.open.length === 0 && stream.owner.work.has(name)) endWork(world, stream.owner, name);
}

/**
 * The source of a stream resolved without a value. One that failed is a stream that failed, with or without items, and
 * out of an arm that was not taken come none; one that never ran makes no stream, and its collectors are what it is.
 */
export function sourceBroke(world: World, owner: Place, source: SlotPlan, how: Resolved): void {
  const known = streamOf(world, owner, source.stream);
  const opens = how.as === "failed" || how.as === "untaken" || leavesOverdue(world, owner, source);
  const stream = known ?? (opens ? openStream(world, owner, source, null) : undefined);
  if (stream === undefined || neverWas(stream, how))
    for (const collector of collectorsOf(world, source.stream)) resolve(world, owner, collector, how);
  if (stream !== undefined) breakStream(world, stream, failureOf(how));
  else letUnopenedGo(world, owner, source);
}

/** Out of a call whose time was over: as behind its first item, the stream has failed. */
function leavesOverdue(world: World, owner: Place, { arms }: SlotPlan): boolean {
  if (arms === null || slotOf(world, arms.block).kind !== SlotKind.bounded) return false;
  return world.resolved.get(at(owner, arms.block))?.as === "failed";
}

/** One part of a zip never was: nor was the zip, whichever part was known first. */
function neverWas({ passage, items, ended }: Stream, { as }: Resolved): boolean {
  return passage !== null && items === 0 && !ended && (as === "absent" || as === "swept");
}

function letUnopenedGo(world: World, owner: Place, source: SlotPlan): void {
  const passage = world.passages.get(at(owner, source.id));
  if (passage !== undefined) letAllGo(world, passage);
}

/** What is on its way into a stream whose source failed still goes out. */
function breakStream(world: World, stream: Stream, failure: Failure | null): void {
  if (stream.passage === null || failure === null) endStream(world, stream, failure);
  else {
    stream.passage.broken ??= failure;
    passOn(world, stream);
  }
}

/** Something arrived for a stream of items of other streams, or nothing more will. */
export function readyForward(world: World, owner: Place, slot: SlotPlan): void {
  const passage = world.passages.get(at(owner, slot.id));
  if (passage === undefined) throw new Illegal(`slot ${slot.id} passes on what never came`);
  const stream = streamOf(world, owner, slot.stream) ?? openStream(world, owner, slot, null);
  stream.passage = passage;
  passOn(world, stream);
}

/** As long as there is credit; it ends when nothing is on its way any more. */
function passOn(world: World, stream: Stream): void {
  const { passage } = stream;
  if (passage === null || stream.ended) return;
  while (hasNext(passage)) {
    if (!hasCredit(stream) && !dropOldest(world, stream)) return;
    const parcel = takeNext(passage);
    const item = openItem(world, stream, parcel.how);
    letGo(world, parcel);
    if (parcel.inner !== null) goOnIn(world, item, parcel.inner);
  }
  const end = endOf(passage);
  if (end !== null) endPassage(world, stream, passage.slot, end);
}

/** The item is out: what set out for the stream in it follows, and it has that stream from now on. */
function goOnIn(world: World, item: Place, inner: InnerPassage): void {
  const { slot, broken } = inner.passage;
  inner.outside = item;
  world.passages.set(at(item, slot.id), inner.passage);
  openStream(world, item, slot, null).passage = inner.passage;
  if (broken === null) ready(world, item, slot);
  else skip(world, item, slot, broken);
}

function endPassage(world: World, stream: Stream, slot: SlotPlan, end: PassageEnd): void {
  const { owner } = stream;
  let failure: Failure | null = null;
  if (end === "even") resolve(world, owner, slot, { as: "value", value: undefined });
  else if ("uneven" in end) {
    failure = uneven(world, owner, slot, end.uneven);
    fail(world, owner, slot, failure);
  } else {
    ({ failure } = end);
    skip(world, owner, slot, failure);
  }
  endStream(world, stream, failure);
  if (slot.zip !== null) stopParts(world, owner, slot);
}

/** Reported at the maker of the shorter one. */
function uneven(world: World, owner: Place, slot: SlotPlan, { shorter, lengths }: Uneven): Failure {
  const feeds = (slot.fedBy ?? []).map((id) => slotOf(world, id));
  const nameOf = (stream: number | undefined): string => `"${world.plan.streams[stream ?? -1]?.segment ?? ""}"`;
  const told = feeds.map(({ collect }, part) => {
    const length = lengths[part] ?? null;
    const name = nameOf(collect?.stream);
    if (part === shorter) return `${name} ended after ${length} ${length === 1 ? "item" : "items"}`;
    return length === null ? `${name} went on` : `${name} has ${length}`;
  });
  const [first] = told.splice(shorter, 1);
  const zip = world.plan.streams[slot.stream]?.segment;
  const message = `the streams of ${zip} are not of one length: ${[first, ...told].join(", ")}`;
  const error = { code: "UnevenZip", type: "UnevenZip", message, data: undefined };
  return record(world, owner, slot, error, 1, undefined, { anchorId: feeds[shorter]?.anchor ?? slot.anchor });
}

/** An item has no work left: it closes and gives its credit back. */
export function closeItem(world: World, stream: Stream, item: Place): void {
  closePlace(item);
  passAll(world, item);
  refill(world, stream);
  finishIfDone(world, stream);
}

/** Opens what fits: of a list as many as there is credit for; a generator may be asked again. */
export function refill(world: World, stream: Stream): void {
  if (stream.ended) return;
  if (stream.passage !== null) {
    passOn(world, stream);
    return;
  }
  if (stream.list === null) {
    if (hasCredit(stream)) stream.suspended = false;
    return;
  }
  while (stream.items < stream.list.length && (hasCredit(stream) || dropOldest(world, stream)))
    openItem(world, stream, { as: "value", value: stream.list[stream.items] });
  if (stream.items === stream.list.length) endStream(world, stream, null);
}

/** A generator's item went out. With `dropOldest` one too many pushes out the oldest untouched, itself at worst. */
export function afterFrame(world: World, stream: Stream): void {
  const drops = stream.plan.onFull === "dropOldest";
  if (drops && stream.open.length > stream.plan.buffer) dropOldest(world, stream);
  stream.suspended = !drops && !hasCredit(stream);
}

export function hasCredit(stream: Stream): boolean {
  return stream.open.length < stream.plan.buffer;
}

/** The oldest item in which nothing has started makes room: all that it was to become is absent. */
function dropOldest(world: World, stream: Stream): boolean {
  if (stream.plan.onFull !== "dropOldest") return false;
  const item = stream.open.find((open) => !open.touched);
  if (item === undefined) return false;
  world.dropped.push({ source: stream.plan.source, place: stream.owner, index: item.index });
  sweep(world, item, "absent");
  return true;
}
