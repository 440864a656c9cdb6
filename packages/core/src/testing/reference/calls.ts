/** Rule 4: invocations of ops, their lanes and their line. */
import type { SlotPlan } from "../../model/plan.ts";
import { beginWork, callWork, endWork, ready, resolve } from "./consequences.ts";
import { recordThrown } from "./failures.ts";
import { itemAround, nodePathOf, touch } from "./paths.ts";
import { inputOf } from "./values.ts";
import { at, Illegal, type Call, type Lane, type Place, type Resolved, type Stream, type World } from "./world.ts";

/** An op has all it needs, or its turn in the lane has come. */
export function readyCall(world: World, place: Place, slot: SlotPlan): void {
  const known = world.calls.get(at(place, slot.id));
  if (known !== undefined) {
    dispatch(world, known);
    return;
  }
  beginWork(place, callWork(slot));
  const call: Call = { place, slot, phase: "queued", input: undefined, attempt: 1, waits: null, deadline: Infinity };
  world.calls.set(at(place, slot.id), call);
  // What has no body needs no lane.
  if (itemAround(place) === null || slot.op === null) dispatch(world, call);
  else enterLane(world, call);
}

/** A push or an emission in yield order: it lines up as an op does, and acts when its turn has come. */
export function readyInOrder(world: World, place: Place, slot: SlotPlan, act: () => void): void {
  const key = at(place, slot.id);
  if (world.calls.delete(key)) {
    act();
    leaveLane(world, place, slot);
    endWork(world, place, callWork(slot));
    return;
  }
  beginWork(place, callWork(slot));
  const call: Call = { place, slot, phase: "queued", input: undefined, attempt: 1, waits: null, deadline: Infinity };
  world.calls.set(key, call);
  enterLane(world, call);
}

function dispatch(world: World, call: Call): void {
  const { place, slot } = call;
  try {
    call.input = inputOf(world, place, slot);
  } catch (thrown) {
    finishCall(world, call, { as: "skipped", failure: recordThrown(world, place, slot, "EdgeFailed", thrown) });
    return;
  }
  call.phase = "running";
  world.dispatched.push(nodePathOf(world, place, slot.name));
  touch(place);
}

/** The invocation is over: its slot resolves, and the next in its lane may go. `first`: before all else. */
export function finishCall(world: World, call: Call, how: Resolved, first = false): void {
  const { place, slot } = call;
  world.calls.delete(at(place, slot.id));
  resolve(world, place, slot, how, first);
  leaveLane(world, place, slot);
  endWork(world, place, callWork(slot));
}

/** Whoever stands in the line of the op may have room now. */
export function leaveLane(world: World, place: Place, slot: SlotPlan): void {
  if (itemAround(place) !== null) admit(world, place, slot);
}

/** Lanes belong to the stream around, through arms and iterations. */
function streamAround(place: Place): Stream | null {
  return itemAround(place)?.stream ?? null;
}

function laneOf(world: World, place: Place, slot: SlotPlan): Lane {
  const key = `${streamAround(place)?.key ?? ""}#${slot.id}`;
  const lane = world.lanes.get(key) ?? { line: [], turn: 0, arrived: new Map<number, Call | null>() };
  world.lanes.set(key, lane);
  return lane;
}

/** Where there is room and no line, it goes in without waiting for another turn. */
function enterLane(world: World, call: Call): void {
  const { place, slot } = call;
  const lane = laneOf(world, place, slot);
  if (!slot.ordered && lane.line.length === 0 && inLane(world, place, slot) < slot.laneCapacity) {
    call.phase = "admitted";
    if (mustTakeTurn(world, call)) ready(world, place, slot);
    else dispatch(world, call);
    return;
  }
  if (call.slot.ordered) arrive(lane, itemAround(call.place)?.index ?? 0, call);
  else lane.line.push(call);
  admit(world, call.place, call.slot);
}

/** Whether an unsafe op was dispatched, and when a failure was recorded, makes a difference: these go in order. */
function mustTakeTurn(world: World, { place, slot }: Call): boolean {
  if (slot.op?.effect === "unsafe") return true;
  try {
    inputOf(world, place, slot);
    return false;
  } catch {
    return true;
  }
}

/** An item that will never run an ordered op lets those behind it pass. */
export function passBy(world: World, place: Place, slot: SlotPlan): void {
  arrive(laneOf(world, place, slot), itemAround(place)?.index ?? 0, null);
  admit(world, place, slot);
}

/** An item is over: ordered ops in its blocks, which may never have run, let those behind it pass. */
export function passAll(world: World, item: Place): void {
  for (const slot of world.plan.slots)
    if (slot.ordered && slot.scope !== item.scope.id && isAround(world, item, slot)) passBy(world, item, slot);
}

/** The item is the innermost around the slot. */
function isAround({ plan }: World, item: Place, slot: SlotPlan): boolean {
  let scope = plan.scopes[slot.scope];
  while (scope !== undefined && scope.stream < 0) scope = plan.scopes[scope.parent];
  return scope?.id === item.scope.id;
}

/** Ordered: items line up in yield order, whenever they arrive; one that had its turn comes again in a loop. */
function arrive(lane: Lane, index: number, call: Call | null): void {
  if (index < lane.turn) {
    if (call !== null) lane.line.push(call);
    return;
  }
  lane.arrived.set(index, call);
  while (lane.arrived.has(lane.turn)) {
    const next = lane.arrived.get(lane.turn++);
    if (next !== null && next !== undefined) lane.line.push(next);
  }
}

function admit(world: World, place: Place, slot: SlotPlan): void {
  const { line } = laneOf(world, place, slot);
  while (line.length > 0 && inLane(world, place, slot) < slot.laneCapacity) {
    const next = line.shift() as Call;
    if (world.calls.get(at(next.place, slot.id)) !== next) continue;
    next.phase = "admitted";
    ready(world, next.place, slot);
  }
}

function inLane(world: World, place: Place, slot: SlotPlan): number {
  return [...world.calls.values()].filter(
    (call) => call.slot === slot && streamAround(call.place) === streamAround(place) && call.phase !== "queued",
  ).length;
}

/** The invocation that a record speaks of; it must be running. */
export function runningCall(world: World, place: Place | undefined, slot: SlotPlan, what: string): Call {
  const call = place === undefined ? undefined : world.calls.get(at(place, slot.id));
  if (call?.phase === "running") return call;
  throw new Illegal(`${what} of "${slot.name}" in ${place?.key ?? "a place that is not open"}, where it does not run`);
}
