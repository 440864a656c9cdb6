/** Workflows: a body is told what its calls came to, one after the other, and what it calls is known by that. */
import { SlotKind } from "../../model/plan.ts";
import type { Call as RecordedCall } from "../../model/conversation.ts";
import { collectorsOf } from "./collectors.ts";
import { sweep } from "./sweep.ts";
import { at, Illegal, streamOf, type Call, type World } from "./world.ts";

/** Nobody hears of calls that are open when their body is over. */
export function dropCalls(world: World, { place, slot }: Call): void {
  if (slot.op?.converse === undefined) return;
  for (const item of streamOf(world, place, slot.stream)?.open.slice() ?? []) sweep(world, item, "swept");
}

/** Its body has nothing to do before one of its calls comes back. */
export function waitsForCalls(world: World, { place, slot }: Call): boolean {
  return slot.op?.converse !== undefined && (streamOf(world, place, slot.stream)?.open.length ?? 0) > 0;
}

/** What it was told before it made this call had been there, in that order. */
export function checkTold(world: World, call: Call, { told = [] }: RecordedCall): void {
  const { place, slot } = call;
  const [collector] = collectorsOf(world, slot.stream).filter(({ kind }) => kind === SlotKind.deliver);
  const there = [...(world.gathered.get(at(place, collector?.id ?? -1))?.keys() ?? [])];
  for (const number of told) {
    const next = there.indexOf(number);
    if (next < 0) throw new Illegal(`"${slot.name}" was told what call ${number} came to, and it is open`);
    // A fork tells what it kept in the order in which its origin did.
    if (next < call.heard && !world.forked)
      throw new Illegal(`"${slot.name}" was told of call ${number} again, or behind what came later`);
    call.heard = next + 1;
  }
}
