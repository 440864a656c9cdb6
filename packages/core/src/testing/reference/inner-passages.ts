/**
 * Rule 5: streams in the items of a stream that leaves a block. Each has a passage of its own, kept under the item inside;
 * once that item is out, what arrives goes to the stream in the one outside.
 */
import type { SlotPlan } from "../../model/plan.ts";
import { ready, skip } from "./consequences.ts";
import { at, slotOf, type Failure, type InnerPassage, type Part, type Place, type World } from "./world.ts";

/** A feed of a stream in the items of another that leaves with it. */
export function isNested({ feed }: SlotPlan): boolean {
  return feed !== null && feed.outer >= 0;
}

export function newInner(world: World, inside: Place, feed: SlotPlan): InnerPassage {
  const slot = slotOf(world, feed.feed?.to ?? -1);
  const part: Part = { arrived: new Map(), next: 0, waiting: [], ended: false, failure: null };
  const inner: InnerPassage = {
    passage: { slot, parts: [part], count: 0, broken: null },
    inside,
    outside: null,
    gone: false,
  };
  world.innerPassages.set(at(inside, feed.id), inner);
  return inner;
}

/** Has it, or will it have, an item outside to go to? One that is there has something to do now. */
export function wakeInner(world: World, { passage: { slot }, outside, gone }: InnerPassage): boolean {
  if (gone) return false;
  if (outside === null) return true;
  if (outside.closed || world.resolved.has(at(outside, slot.id))) return false;
  ready(world, outside, slot);
  return true;
}

/** The stream inside ended. */
export function endInner(world: World, inside: Place, feed: SlotPlan): void {
  const inner = world.innerPassages.get(at(inside, feed.id));
  if (inner !== undefined) end(world, inner);
}

function end(world: World, inner: InnerPassage): void {
  (inner.passage.parts[0] as Part).ended = true;
  wakeInner(world, inner);
}

/** It failed; or it was swept, which is its end, and a failure when the block it leaves failed. */
export function breakInner(world: World, inside: Place, feed: SlotPlan, own: Failure | null): void {
  const inner = world.innerPassages.get(at(inside, feed.id));
  if (inner === undefined) return;
  const failure = own ?? failureAround(world, inner.outside);
  if (failure === null) end(world, inner);
  else if (inner.outside === null) inner.passage.broken = failure;
  else skip(world, inner.outside, inner.passage.slot, failure);
}

/** Of the streams around `outside` that left the block with it. */
function failureAround(world: World, outside: Place | null): Failure | null {
  const { stream = null } = outside ?? {};
  if (stream === null) return null;
  const { owner, plan, passage } = stream;
  if (passage === null || passage.slot.zip !== null) return null;
  const how = world.resolved.get(at(owner, plan.source));
  return how?.as === "failed" || how?.as === "skipped" ? how.failure : failureAround(world, owner);
}
