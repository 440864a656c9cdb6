/** Rule 5: streams, their items, and the credit that an open item holds. */
import type { SlotPlan, StreamPlan } from "../../model/plan.ts";
import { passAll } from "./calls.ts";
import { beginWork, closePlace, endWork, failureOf, resolve, streamWork } from "./consequences.ts";
import { collectorsOf, fireIfDone } from "./collectors.ts";
import { touch } from "./paths.ts";
import { openPlace } from "./places.ts";
import { sweep } from "./sweep.ts";
import { Illegal, slotOf, type Failure, type Place, type Resolved, type Stream, type World } from "./world.ts";

export function openStream(world: World, owner: Place, source: SlotPlan, list: readonly unknown[] | null): Stream {
  const plan = world.plan.streams[source.stream] as StreamPlan;
  const key = streamKey(owner, plan.id);
  const stream: Stream = { key, plan, owner, list, items: 0, open: [], ended: false, failure: null, suspended: false };
  world.streams.set(key, stream);
  touch(owner);
  beginWork(owner, streamWork(stream));
  return stream;
}

export function streamIn(world: World, owner: Place, stream: number): Stream | undefined {
  return world.streams.get(streamKey(owner, stream));
}

function streamKey(owner: Place, stream: number): string {
  return `${owner.key}/${stream}`;
}

export function openItem(world: World, stream: Stream, value: unknown): void {
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
  resolve(world, item, slotOf(world, scope.slots[0] as number), { as: "value", value });
  openPlace(world, item);
}

/** No more items. */
export function endStream(world: World, stream: Stream, failure: Failure | null): void {
  if (stream.ended) return;
  stream.ended = true;
  stream.failure = failure;
  for (const collector of collectorsOf(world, stream.plan.id)) fireIfDone(world, stream, collector);
  finishIfDone(world, stream);
}

function finishIfDone(world: World, stream: Stream): void {
  const name = streamWork(stream);
  if (stream.ended && stream.open.length === 0 && stream.owner.work.has(name)) endWork(world, stream.owner, name);
}

/**
 * The source of a stream resolved without a value. One that failed is a stream that failed, with or without items; one
 * that never ran makes no stream, and its collectors are what it is.
 */
export function sourceBroke(world: World, owner: Place, source: SlotPlan, how: Resolved): void {
  const known = streamIn(world, owner, source.stream);
  const stream = known ?? (how.as === "failed" ? openStream(world, owner, source, null) : undefined);
  if (stream !== undefined) endStream(world, stream, failureOf(how));
  else for (const collector of collectorsOf(world, source.stream)) resolve(world, owner, collector, how);
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
  if (stream.list === null) {
    if (hasCredit(stream)) stream.suspended = false;
    return;
  }
  while (stream.items < stream.list.length && (hasCredit(stream) || dropOldest(world, stream)))
    openItem(world, stream, stream.list[stream.items]);
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
