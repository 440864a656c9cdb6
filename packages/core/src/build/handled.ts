import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { feedersOf } from "./feeders.ts";

/**
 * Marks the slots whose failure is handled: every path from them meets a fallback, a race, or a `skip` or `settle`
 * before an output or a dead end (DESIGN §3 rule 10). Ids are a topological order, so one pass from the last slot
 * suffices. An `end` is no path: it takes items as they come.
 *
 * In the body of a fallback, a failure that nothing in the body handles is the fallback's: it is the slot's `catcher`.
 * A failure from outside of the body that skips what is in it is not: it happened elsewhere.
 */
export function markHandled(builder: Builder): void {
  const paths: boolean[][] = builder.slots.map(() => []);
  for (let id = builder.slots.length - 1; id >= 0; id--) {
    const slot = builder.slots[id]!;
    const answers = paths[id]!;
    const inside = answers.length > 0 && answers.every(Boolean);
    slot.catcher = inside ? -1 : catcherOf(builder, slot.scope);
    slot.handled = inside || slot.catcher >= 0 || racesAround(builder, slot.scope);
    for (const { slot: source } of slot.dependencies) paths[source]!.push(inside);
    for (const feeder of feedersOf(slot)) paths[feeder]!.push(inside && !leavesBody(slot, feeder));
    if (slot.collect !== null) followCollector(builder, slot, inside, paths);
  }
}

/** What leaves the body of a fallback was not handled in it; its handler's failure is the fallback's own. */
function leavesBody({ kind, block }: DraftSlot, feeder: number): boolean {
  return kind === SlotKind.fallback && block!.results[0] === feeder;
}

/** The innermost fallback whose body `scope` is in. */
function catcherOf(builder: Builder, scope: number): number {
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent]) {
    if (at.block >= 0 && at.arm === 0 && builder.slots[at.block]!.kind === SlotKind.fallback) return at.block;
  }
  return -1;
}

/** An arm that fails loses its race; when all do, the race itself fails. */
function racesAround(builder: Builder, scope: number): boolean {
  for (let at = builder.scopes[scope]; at !== undefined; at = builder.scopes[at.parent]) {
    if (at.block >= 0 && builder.slots[at.block]!.kind === SlotKind.race) return true;
  }
  return false;
}

/** An item that failed stops at `skip` and `settle`; a stream that failed only at `settle`. */
function followCollector(builder: Builder, slot: DraftSlot, inside: boolean, paths: boolean[][]): void {
  const { watch, stream, errors } = slot.collect!;
  if (slot.kind !== SlotKind.end) paths[watch]!.push(inside || errors !== "fail");
  paths[builder.streams[stream]!.source]!.push(inside || errors === "settle");
}
