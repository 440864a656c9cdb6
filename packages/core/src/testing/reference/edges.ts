/** Rules 8 and 9: what a slot that is no op does once it has all it needs. */
import { SlotKind, type CellPlan, type SlotPlan } from "../../model/plan.ts";
import { MillraceError } from "../../base/error.ts";
import { readyBounded } from "./blocks/bounded.ts";
import { readyChoose } from "./blocks/choose.ts";
import { readyFallback } from "./blocks/fallback.ts";
import { readyLoop } from "./blocks/loop.ts";
import { readyRace } from "./blocks/race.ts";
import { readyCall, readyInOrder } from "./calls.ts";
import { fail, resolve } from "./consequences.ts";
import { record, recordThrown } from "./failures.ts";
import { nodePathOf } from "./paths.ts";
import { readyFeed, readySweep } from "./ready-sweep.ts";
import { openStream, readyForward, refill } from "./streams.ts";
import { inputOf } from "./values.ts";
import { Illegal, type Place, type Resolved, type World } from "./world.ts";

/** Has all it needs; a fallback comes here again when its body failed. */
export function becomeReady(world: World, place: Place, slot: SlotPlan): void {
  if (isCall(slot)) readyCall(world, place, slot);
  else if (slot.ordered) readyInOrder(world, place, slot, () => act(world, place, slot));
  else act(world, place, slot);
}

function act(world: World, place: Place, slot: SlotPlan): void {
  if (slot.kind === SlotKind.each) readyEach(world, place, slot);
  else if (slot.kind === SlotKind.push) readyPush(world, place, slot);
  else if (slot.kind === SlotKind.read) readyRead(world, place, slot);
  else if (slot.kind === SlotKind.forward) readyForward(world, place, slot);
  else if (slot.kind === SlotKind.emit) readyEmit(world, place, slot);
  else if (slot.kind === SlotKind.sweep) readySweep(world, place, slot);
  else if (slot.kind === SlotKind.feed) readyFeed(world, place, slot);
  else if (slot.kind === SlotKind.fail) readyFail(world, place, slot);
  else if (slot.block !== null) readyBlock(world, place, slot);
  else edge(world, place, slot, () => evaluate(slot, inputOf(world, place, slot)));
}

function isCall({ kind }: SlotPlan): boolean {
  return kind === SlotKind.op || kind === SlotKind.sleep || kind === SlotKind.ask;
}

function readyEmit(world: World, place: Place, slot: SlotPlan): void {
  edge(world, place, slot, () => {
    world.emitted.push({ path: nodePathOf(world, place, slot.name), value: inputOf(world, place, slot) });
    return { as: "value", value: undefined };
  });
}

function readyBlock(world: World, place: Place, slot: SlotPlan): void {
  switch (slot.kind) {
    case SlotKind.choose:
      readyChoose(world, place, slot);
      break;
    case SlotKind.loop:
      readyLoop(world, place, slot);
      break;
    case SlotKind.race:
      readyRace(world, place, slot);
      break;
    case SlotKind.bounded:
      readyBounded(world, place, slot);
      break;
    default:
      readyFallback(world, place, slot);
  }
}

/** Rule 6: the author's own failure. */
function readyFail(world: World, place: Place, slot: SlotPlan): void {
  edge(world, place, slot, () => {
    const { message, data } = inputOf(world, place, slot) as { message: unknown; data?: unknown };
    const error = { code: "Failed", type: "Failed", message: String(message), data };
    return { as: "failed", failure: record(world, place, slot, error, 1, undefined) };
  });
}

function evaluate(slot: SlotPlan, input: unknown): Resolved {
  const [first, second] = Array.isArray(input) ? (input as unknown[]) : [];
  switch (slot.kind) {
    case SlotKind.record:
      return { as: "value", value: input };
    case SlotKind.derive:
      return { as: "value", value: (slot.fn as (value: unknown) => unknown)(input) };
    case SlotKind.orElse:
      return { as: "value", value: first ?? second };
    case SlotKind.filter:
      return second === true ? { as: "value", value: first } : { as: "absent" };
    case SlotKind.present:
      return first === null || first === undefined ? { as: "absent" } : { as: "value", value: first };
    default:
      throw new Illegal(`slot ${slot.id} became ready by its dependencies`);
  }
}

/** A throw is `EdgeFailed`, reported under the nearest named source. */
function edge(world: World, place: Place, slot: SlotPlan, work: () => Resolved): void {
  let how: Resolved;
  try {
    how = work();
  } catch (thrown) {
    if (thrown instanceof Illegal) throw thrown;
    fail(world, place, slot, recordThrown(world, place, slot, "EdgeFailed", thrown));
    return;
  }
  resolve(world, place, slot, how);
}

function readyEach(world: World, place: Place, slot: SlotPlan): void {
  let list: unknown;
  edge(world, place, slot, () => {
    list = inputOf(world, place, slot);
    if (!Array.isArray(list)) throw notAList(world, slot, list);
    return { as: "value", value: undefined };
  });
  if (Array.isArray(list)) refill(world, openStream(world, place, slot, list));
}

function notAList(world: World, slot: SlotPlan, value: unknown): MillraceError {
  const is = value === null ? "null" : typeof value;
  const { segment } = world.plan.streams[slot.stream]!;
  return new MillraceError("EdgeFailed", `each(${segment}) needs a list, and it is ${is}`, {
    hint: "use orElse(ref, []) when the list may be absent",
  });
}

/** Rule 8: pushes fold in the order in which they become ready. */
function readyPush(world: World, place: Place, slot: SlotPlan): void {
  edge(world, place, slot, () => {
    const update = inputOf(world, place, slot);
    return fold(world, place, slot, update);
  });
}

/** What a cell shows of what was folded so far. */
function readyRead(world: World, place: Place, slot: SlotPlan): void {
  const { view } = world.plan.cells[slot.cell] as CellPlan;
  edge(world, place, slot, () => {
    const folded = world.cells[slot.cell];
    try {
      return { as: "value", value: view === null ? folded : view(folded) };
    } catch (thrown) {
      return { as: "failed", failure: recordThrown(world, place, slot, "ReducerFailed", thrown, undefined) };
    }
  });
}

function fold(world: World, place: Place, slot: SlotPlan, update: unknown): Resolved {
  const cell = world.plan.cells[slot.cell] as CellPlan;
  try {
    world.cells[slot.cell] = slot.overwrites ? update : cell.reduce(world.cells[slot.cell], update);
  } catch (thrown) {
    return { as: "failed", failure: recordThrown(world, place, slot, "ReducerFailed", thrown, update) };
  }
  return { as: "value", value: undefined };
}
