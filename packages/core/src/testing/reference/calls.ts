/** Rule 4: invocations of ops, their lanes and their line. */
import type { SlotPlan } from "../../model/plan.ts";
import { beginWork, endWork, ready, resolve } from "./consequences.ts";
import { recordThrown } from "./failures.ts";
import { inputOf } from "./values.ts";
import { at, Illegal, pathOf, type Call, type Lane, type Place, type Resolved, type World } from "./world.ts";

/** An op has all it needs, or its turn in the lane has come. */
export function readyCall(world: World, place: Place, slot: SlotPlan): void {
  const known = world.calls.get(at(place, slot.id));
  if (known !== undefined) {
    dispatch(world, known);
    return;
  }
  beginWork(place, workName(slot));
  const call: Call = { place, slot, phase: "queued", input: undefined, attempt: 1 };
  world.calls.set(at(place, slot.id), call);
  if (place.stream === null) dispatch(world, call);
  else enterLane(world, call);
}

function workName(slot: SlotPlan): string {
  return `op ${slot.id}`;
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
  world.dispatched.push(`${pathOf(world, place)}/${slot.name}`);
  place.touched = true;
}

/** The invocation is over: its slot resolves, and the next in its lane may go. */
export function finishCall(world: World, call: Call, how: Resolved): void {
  const { place, slot } = call;
  world.calls.delete(at(place, slot.id));
  resolve(world, place, slot, how);
  if (place.stream !== null) admit(world, place, slot);
  endWork(world, place, workName(slot));
}

function laneOf(world: World, place: Place, slot: SlotPlan): Lane {
  const key = `${place.stream?.key ?? ""}#${slot.id}`;
  const lane = world.lanes.get(key) ?? { line: [], turn: 0, arrived: new Map<number, Call | null>() };
  world.lanes.set(key, lane);
  return lane;
}

function enterLane(world: World, call: Call): void {
  const lane = laneOf(world, call.place, call.slot);
  if (call.slot.ordered) arrive(lane, call.place.index, call);
  else lane.line.push(call);
  admit(world, call.place, call.slot);
}

/** An item that will never run an ordered op lets those behind it pass. */
export function passBy(world: World, place: Place, slot: SlotPlan): void {
  arrive(laneOf(world, place, slot), place.index, null);
  admit(world, place, slot);
}

/** Ordered: items line up in yield order, whenever they arrive. */
function arrive(lane: Lane, index: number, call: Call | null): void {
  if (index < lane.turn) return;
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
    if (next.place.closed) continue;
    next.phase = "admitted";
    ready(world, next.place, slot);
  }
}

function inLane(world: World, place: Place, slot: SlotPlan): number {
  return [...world.calls.values()].filter(
    (call) => call.slot === slot && call.place.stream === place.stream && call.phase !== "queued",
  ).length;
}

/** The invocation that a record speaks of; it must be running. */
export function runningCall(world: World, place: Place | undefined, slot: SlotPlan, what: string): Call {
  const call = place === undefined ? undefined : world.calls.get(at(place, slot.id));
  if (call?.phase === "running") return call;
  throw new Illegal(`${what} of "${slot.name}" in ${place?.key ?? "a place that is not open"}, where it does not run`);
}
