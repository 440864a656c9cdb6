/**
 * Rules 6 and 7: a place is taken out of the run. Streams and blocks in it first, in the order in which they opened; then
 * its slots in plan order, each giving its lane to the next in line as it goes.
 */
import type { SlotPlan } from "../../model/plan.ts";
import { leaveLane, passAll } from "./calls.ts";
import { blockWork, callWork, closePlace, resolve, streamWork } from "./consequences.ts";
import { indicesOf, nodePathOf } from "./paths.ts";
import { letAllGo } from "./passages.ts";
import { stopWaiting } from "./places.ts";
import { at, slotOf, type Block, type Call, type Place, type Stream, type World } from "./world.ts";

/**
 * Everything unresolved in it becomes `as`. With `keepUnsafe`, bodies of unsafe ops that were dispatched go on, and the
 * places around them stay open until these are through. True when nothing stays.
 */
export function sweep(world: World, place: Place, as: "swept" | "absent", keepUnsafe = false): boolean {
  sweepAll(world, place, as, keepUnsafe, new Set());
  place.swept = true;
  if (place.work.size > 0) return false;
  closePlace(place);
  if (place.stream !== null) passAll(world, place);
  return true;
}

/** The same for the run itself, which stays, but for some slots. */
export function sweepInside(world: World, place: Place, but: ReadonlySet<number>): void {
  sweepAll(world, place, "swept", false, but);
}

function sweepAll(
  world: World,
  place: Place,
  as: "swept" | "absent",
  keepUnsafe: boolean,
  but: ReadonlySet<number>,
): void {
  const staying = new Set<string>();
  for (const stream of [...world.streams.values()].filter(({ owner }) => owner === place))
    if (place.work.has(streamWork(stream)) && !sweepStream(world, stream, as, keepUnsafe))
      staying.add(streamWork(stream));
  for (const block of [...world.blocks.values()].filter(({ owner }) => owner === place))
    if (!sweepBlock(world, block, as, keepUnsafe)) staying.add(blockWork(block.slot));
  for (const id of place.scope.slots) {
    const slot = slotOf(world, id);
    if (but.has(id)) continue;
    if (!sweepSlot(world, place, slot, as, keepUnsafe)) staying.add(callWork(slot));
  }
  stopWaiting(world, place);
  place.work.clear();
  for (const name of staying) place.work.add(name);
}

function sweepStream(world: World, stream: Stream, as: "swept" | "absent", keepUnsafe: boolean): boolean {
  stream.ended = true;
  stream.suspended = false;
  if (stream.passage !== null) letAllGo(world, stream.passage);
  for (const item of stream.open.slice()) sweep(world, item, as, keepUnsafe);
  return stream.open.length === 0;
}

function sweepBlock(world: World, block: Block, as: "swept" | "absent", keepUnsafe: boolean): boolean {
  block.decided = true;
  block.swept = true;
  for (const arm of block.open.slice()) sweep(world, arm, as, keepUnsafe);
  if (block.open.length > 0) return false;
  world.blocks.delete(at(block.owner, block.slot.id));
  return true;
}

/** False when its body goes on. */
export function sweepSlot(
  world: World,
  place: Place,
  slot: SlotPlan,
  as: "swept" | "absent",
  keepUnsafe: boolean,
): boolean {
  const key = at(place, slot.id);
  if (world.resolved.has(key)) return true;
  const call = world.calls.get(key);
  if (keepUnsafe && call?.phase === "running" && slot.op?.effect === "unsafe") return false;
  noteWithdrawn(world, call);
  if (call?.phase === "running") world.swept.push(nodePathOf(world, place, slot.name));
  world.calls.delete(key);
  resolve(world, place, slot, { as });
  if (call !== undefined) leaveLane(world, place, slot);
  return true;
}

function noteWithdrawn(world: World, call: Call | undefined): void {
  if (call === undefined || call.waits === null || call.slot.ask === null) return;
  world.withdrawn.push(`${call.slot.id}@${indicesOf(call.place).join(".")}`);
}
