/**
 * Ephemeral generators. To the rest of the run their items come all at once, with their end: what happened among them is
 * told right before the one record that is kept of them, and is drawn then as that of any stream. What the record says was
 * made of them must be what is made of them here; where nobody saw them, the record is believed.
 */
import { canonical } from "../../journal/codec/codec.ts";
import type { Collected, ErrorEntry, ToldFailure } from "../../events/record.ts";
import type { SlotPlan } from "../../model/plan.ts";
import { finishCall, runningCall } from "./calls.ts";
import { collectorsOf } from "./collectors.ts";
import { fail, failureOf, resolve, skip } from "./consequences.ts";
import { addEntries, tellFallback } from "./failures.ts";
import type { EphemeralHappening, Happening } from "./happening.ts";
import { findPlace } from "./paths.ts";
import { endStream, openStream } from "./streams.ts";
import { at, Illegal, slotOf, streamOf, type Call, type Failure, type Place, type World } from "./world.ts";

/** @param feed draws all consequences of one of those that nothing records. */
export function takeEphemeral(world: World, happening: EphemeralHappening, feed: (aside: Happening) => void): void {
  const slot = slotOf(world, happening.slot);
  const place = findPlace(world, slot, happening.at);
  const call = runningCall(world, place, slot, `a record (${happening.kind})`);
  if (slot.op?.onResume !== "ephemeral") throw new Illegal(`"${slot.name}" is not ephemeral, and ${happening.kind}`);
  for (const aside of happening.asides ?? []) {
    if (world.cut !== null) throw new Illegal(`among the items of "${slot.name}" something goes on behind their end`);
    feed(aside);
  }
  if (happening.kind === "brokenOff") breakOff(world, call, happening);
  else if (world.cut !== null) throw new Illegal(`"${slot.name}" comes to its end, and it was broken off`);
  else if (happening.asides === undefined) believe(world, call, happening.settled);
  else {
    endStream(world, streamOf(world, call.place, slot.stream) ?? openStream(world, call.place, slot, null), null);
    check(world, call, happening.settled.collected);
    finishCall(world, call, { as: "value", value: happening.settled.value }, true);
  }
}

/** All that is made of the items is known with their end. */
function check(world: World, { place, slot }: Call, collected: readonly Collected[]): void {
  const collectors = collectorsOf(world, slot.stream);
  if (collectors.length !== collected.length)
    throw new Illegal(`"${slot.name}" has ${collectors.length} collectors, and ${collected.length} are recorded`);
  collectors.forEach((collector, i) => {
    const how = world.resolved.get(at(place, collector.id));
    if (how === undefined) throw new Illegal(`the items of "${slot.name}" are not through`);
    if (how.as === "swept") return;
    const due = how.as === "value" ? { value: how.value } : { failure: told(failureOf(how)), own: how.as === "failed" };
    const said = collected[i] as Collected;
    const got = "value" in said ? said : { failure: told(said.failure), own: said.own };
    if (canonical(got) !== canonical(due))
      throw new Illegal(`of the items of "${slot.name}" ${canonical(got)} was made, and ${canonical(due)} had to be`);
  });
}

/** Where a body threw, and because of what, is not known here. */
function told(failure: ToldFailure | Failure | null): unknown {
  if (failure === null) return null;
  const { causes: _causes, ...error } = failure.error;
  return { error, handled: failure.handled };
}

function believe(
  world: World,
  call: Call,
  { value, collected, failures }: Extract<EphemeralHappening, { kind: "settled" }>["settled"],
): void {
  const { place, slot } = call;
  addEntries(world, unplaced(failures));
  collectorsOf(world, slot.stream).forEach((collector, i) => {
    if (!world.resolved.has(at(place, collector.id))) collect(world, place, collector, collected[i] as Collected);
  });
  finishCall(world, call, { as: "value", value }, true);
}

function collect(world: World, place: Place, collector: SlotPlan, said: Collected): void {
  if ("value" in said) resolve(world, place, collector, { as: "value", value: said.value });
  else if (said.own) fail(world, place, collector, failureSaid(world, said.failure));
  else skip(world, place, collector, failureSaid(world, said.failure));
}

function failureSaid(world: World, { error, handled }: ToldFailure): Failure {
  const anchor = world.plan.slots.find(({ name }) => name === error.node)?.id ?? 0;
  return { error, anchor, handled };
}

function unplaced(entries: readonly ErrorEntry[]): ErrorEntry[] {
  return entries.map(({ at: _at, causes: _causes, ...entry }) => entry);
}

function breakOff(world: World, call: Call, happening: Extract<EphemeralHappening, { kind: "brokenOff" }>): void {
  const { broken, asides } = happening;
  const catcher = world.plan.slots.find(({ name }) => name === broken.catcher)?.id ?? -1;
  const said = { failure: failureSaid(world, broken.failure), raises: broken.raises, catcher };
  if (asides === undefined) addEntries(world, unplaced(broken.failures));
  else checkCut(world, call, said);
  const { failure } = world.cut ?? said;
  world.cut = null;
  if (broken.raises) world.raised = true;
  if (catcher >= 0) tellFallback(world, call.place, catcher, failure);
}

function checkCut({ cut }: World, { slot }: Call, said: NonNullable<World["cut"]>): void {
  if (cut === null) throw new Illegal(`"${slot.name}" is broken off, and nothing among its items failed`);
  const words = ({ failure, raises, catcher }: typeof said): string => canonical([told(failure), raises, catcher]);
  if (words(cut) !== words(said))
    throw new Illegal(`"${slot.name}" is broken off by ${words(said)}, and ${words(cut)} had to`);
}
