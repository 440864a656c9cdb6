/** Workflows: a body is told what its calls came to, one after the other, and what it calls is known by that. */
import { SlotKind } from "../../model/plan.ts";
import { GIVEN_UP, type Call as RecordedCall } from "../../model/conversation.ts";
import { collectorsOf } from "./collectors.ts";
import { sweep } from "./sweep.ts";
import { at, Illegal, streamOf, type Call, type World } from "./world.ts";

/** Nobody hears of what has come to nothing when its body is over. */
export function dropCalls(world: World, call: Call): void {
  const { place, slot } = call;
  if (slot.op?.converse === undefined) return;
  const there = backFrom(world, call);
  for (const item of streamOf(world, place, slot.stream)?.open.slice() ?? [])
    if (!there.includes(item.index)) sweep(world, item, "swept");
}

/** Nor of one that its body gives up by this one. */
export function dropGivenUp(world: World, call: Call, { call: what, input }: RecordedCall): void {
  if (what !== GIVEN_UP || backFrom(world, call).includes(input as number)) return;
  const { place, slot } = call;
  const item = streamOf(world, place, slot.stream)?.open.find(({ index }) => index === input);
  if (item !== undefined) sweep(world, item, "swept");
}

/** The calls that have come to something, in that order. */
function backFrom(world: World, { place, slot }: Call): number[] {
  const [collector] = collectorsOf(world, slot.stream).filter(({ kind }) => kind === SlotKind.deliver);
  return [...(world.gathered.get(at(place, collector?.id ?? -1))?.keys() ?? [])];
}

/** Its body has nothing to do before one of its calls comes back. */
export function waitsForCalls(world: World, { place, slot }: Call): boolean {
  return slot.op?.converse !== undefined && (streamOf(world, place, slot.stream)?.open.length ?? 0) > 0;
}

/** What it was told before it made this call had been there, in that order. */
export function checkTold(world: World, call: Call, { told = [] }: RecordedCall): void {
  const { slot } = call;
  const there = backFrom(world, call);
  for (const number of told) {
    const next = there.indexOf(number);
    if (next < 0) throw new Illegal(`"${slot.name}" was told what call ${number} came to, and it is open`);
    // A fork tells what it kept in the order in which its origin did.
    if (next < call.heard && !world.forked)
      throw new Illegal(`"${slot.name}" was told of call ${number} again, or behind what came later`);
    call.heard = next + 1;
  }
}
