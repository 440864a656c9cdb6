/**
 * Rule 7: `sweep` cancels what is open of the streams of its targets: in an item the earlier items of that stream, and what
 * is open in those; in the run whole streams, with what makes them. A stream that is swept ends, with what its items left.
 */
import { SlotKind, type ScopePlan, type SlotPlan, type StreamPlan } from "../../model/plan.ts";
import { decide } from "./blocks/decide.ts";
import { callWork, endWork, fail, resolve } from "./consequences.ts";
import { recordThrown } from "./failures.ts";
import { isNested } from "./inner-passages.ts";
import { stopParts } from "./passages.ts";
import { itemAround } from "./paths.ts";
import { endStream, finishIfDone, openStream, refill } from "./streams.ts";
import { sweep, sweepSlot } from "./sweep.ts";
import { inputOf } from "./values.ts";
import { at, Illegal, slotOf, streamOf, type Place, type Stream, type World } from "./world.ts";

export function readySweep(world: World, place: Place, slot: SlotPlan): void {
  let choice: number;
  try {
    const known = !slot.dependencies.some((dependency) => world.fickle.has(slotOf(world, dependency.slot).fn));
    const due = inputOf(world, place, slot) === true ? 1 : 0;
    choice = decide(world, place, slot, { due: known ? due : null, from: [0, 1] });
  } catch (thrown) {
    if (thrown instanceof Illegal) throw thrown;
    fail(world, place, slot, recordThrown(world, place, slot, "EdgeFailed", thrown));
    return;
  }
  const value = choice === 1 ? sweepTargets(world, place, slot.targets ?? []) : 0;
  resolve(world, place, slot, { as: "value", value });
}

/** How much was swept: items, and makers of items. */
function sweepTargets(world: World, place: Place, targets: readonly number[]): number {
  let count = 0;
  for (const from of reached(world, place))
    for (const target of targets) if (!from.closed) count += sweepFrom(world, from, streamAround(world, target));
  return count;
}

/** The run, or the earlier items of the stream. */
function reached(world: World, place: Place): Place[] {
  const item = itemAround(place);
  if (item?.stream === null || item === null) return [world.root];
  return item.stream.open.filter(({ index }) => index < item.index);
}

/** The scope of the innermost item around a slot. */
function streamAround({ plan }: World, slot: number): ScopePlan {
  let scope = plan.scopes[plan.slots[slot]?.scope ?? 0];
  while (scope !== undefined && scope.stream < 0) scope = plan.scopes[scope.parent];
  if (scope === undefined) throw new Illegal(`slot ${slot} is in no item`);
  return scope;
}

/** An item of that scope goes as a whole; further out, all streams of such items that are not inside of others. */
function sweepFrom(world: World, from: Place, target: ScopePlan): number {
  if (from.scope === target) return sweepItem(world, from);
  let below = target;
  while (below.parent !== from.scope.id) below = world.plan.scopes[below.parent] as ScopePlan;
  if (below.stream >= 0) return sweepStream(world, from, world.plan.streams[below.stream] as StreamPlan);
  const blocks = [...world.blocks.values()].filter(({ owner }) => owner === from);
  const arms = blocks.flatMap(({ open }) => open).filter(({ scope }) => scope === below);
  return arms.reduce((count, arm) => count + sweepFrom(world, arm, target), 0);
}

function sweepItem(world: World, item: Place): number {
  const stream = item.stream as Stream;
  const makers = makersOf(world, item);
  sweep(world, item, "swept");
  refill(world, stream);
  finishIfDone(world, stream);
  return makers.reduce((count, maker) => count + (maker.closed ? 0 : sweepItem(world, maker)), 1);
}

/** The items, inside of a block, that streams in this one come out of and that are not over. */
function makersOf(world: World, item: Place): Place[] {
  return [...world.innerPassages.values()]
    .filter(({ outside, passage }) => outside === item && !world.resolved.has(at(item, passage.slot.id)))
    .map(({ inside }) => inside);
}

/** The items of its stream have nowhere to go: it is swept. */
export function readyFeed(world: World, owner: Place, { collect }: SlotPlan): void {
  sweepStream(world, owner, world.plan.streams[collect?.stream ?? -1] as StreamPlan);
}

function sweepStream(world: World, owner: Place, plan: StreamPlan): number {
  const source = slotOf(world, plan.source);
  const stream = streamOf(world, owner, plan.id) ?? unopened(world, owner, source);
  const items = stream?.open.slice() ?? [];
  for (const item of items) sweep(world, item, "swept");
  const makers = sweepMakersInside(world, owner, source) + sweepSource(world, owner, source);
  if (source.zip !== null) stopParts(world, owner, source);
  if (stream !== undefined) endStream(world, stream, null);
  if (stream !== undefined) finishIfDone(world, stream);
  return items.length + makers;
}

/** A stream that nothing was made of is an empty one from now on. */
function unopened(world: World, owner: Place, source: SlotPlan): Stream | undefined {
  const never = source.kind === SlotKind.forward || world.resolved.has(at(owner, source.id));
  return never ? undefined : openStream(world, owner, source, null);
}

/** What a stream that leaves a block is made of, inside of that. */
function sweepMakersInside(world: World, owner: Place, { id, fedBy, zip }: SlotPlan): number {
  if (fedBy === null || zip !== null) return 0;
  const feeds = fedBy.map((feed) => slotOf(world, feed));
  const nested = feeds.some(isNested);
  const from = nested ? makerOf(world, owner, id) : owner;
  if (from === undefined || from.closed) return 0;
  const watched = feeds.flatMap(({ collect, scope }) =>
    collect === null || (nested && scope !== from.scope.id) ? [] : [collect.watch],
  );
  return watched.reduce((count, slot) => count + sweepFrom(world, from, streamAround(world, slot)), 0);
}

function makerOf(world: World, item: Place, slot: number): Place | undefined {
  if (world.resolved.has(at(item, slot))) return undefined;
  return [...world.innerPassages.values()].find(({ outside, passage }) => outside === item && passage.slot.id === slot)
    ?.inside;
}

/** What has not ended, or not begun. One that only passes on makes nothing. */
function sweepSource(world: World, owner: Place, source: SlotPlan): number {
  if (world.resolved.has(at(owner, source.id))) return 0;
  const passesOn = world.passages.has(at(owner, source.id));
  sweepSlot(world, owner, source, "swept", false);
  if (owner.work.has(callWork(source))) endWork(world, owner, callWork(source));
  return passesOn ? 0 : 1;
}
