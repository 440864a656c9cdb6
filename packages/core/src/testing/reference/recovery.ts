/**
 * What a crash makes of bodies. One of an unsafe op runs once, and is asked about when its process is gone; any other runs
 * again, but not when it was at work at three crashes in a row.
 */
import type { Verdict } from "../../events/interrupt.ts";
import { SlotKind, type SlotPlan } from "../../model/plan.ts";
import { finishCall, runningCall } from "./calls.ts";
import { waitsForCalls } from "./conversations.ts";
import { record } from "./failures.ts";
import type { Answer, Happening, WaitHappening } from "./happening.ts";
import { findPlace, nodePathOf } from "./paths.ts";
import { Illegal, slotOf, streamOf, type Call, type World } from "./world.ts";

const crashLimit = 3;

function callOf(
  world: World,
  { slot: id, at, kind }: Pick<Extract<Happening, { slot: number; at: unknown }>, "slot" | "at" | "kind">,
): Call {
  const slot = slotOf(world, id);
  return runningCall(world, findPlace(world, slot, at), slot, `a record (${kind})`);
}

function isUnsafe({ op }: SlotPlan): boolean {
  return op?.effect === "unsafe";
}

export function beginUnsafe(world: World, happening: Extract<Happening, { kind: "unsafeStart" }>): void {
  const call = callOf(world, happening);
  const { slot, attempt } = call;
  if (!isUnsafe(slot)) throw new Illegal(`"${slot.name}" is not unsafe, and its start is recorded`);
  if (call.waits !== null) throw new Illegal(`"${slot.name}" begins while it is asked what became of it`);
  if (happening.attempt !== attempt)
    throw new Illegal(`attempt ${happening.attempt} of "${slot.name}" begins, and it is the turn of ${attempt}`);
  if (call.begun === attempt) throw new Illegal(`attempt ${attempt} of "${slot.name}" begins twice`);
  call.begun = attempt;
}

/** The outside is asked, or answers. */
export function takeDoubt(world: World, happening: Extract<WaitHappening, { kind: "asked" | "answered" }>): void {
  const call = callOf(world, happening);
  if (happening.kind === "asked") ask(world, call, happening);
  else if (call.waits === null) throw new Illegal(`"${call.slot.name}" is answered for, and nobody asked`);
  else settle(world, call, happening.value as Verdict);
}

function ask(world: World, call: Call, asked: Extract<WaitHappening, { kind: "asked" }>): void {
  const { place, slot, attempt } = call;
  const path = nodePathOf(world, place, slot.name);
  if (call.begun !== attempt || call.waits !== null || call.items > 0 || place.swept)
    throw new Illegal(`"${slot.name}" is not in doubt, and it is asked what became of it`);
  if (asked.doubt !== ++call.doubts) throw new Illegal(`"${slot.name}" is in doubt for the ${call.doubts}. time`);
  if (asked.due !== null || asked.path !== path) throw new Illegal(`${path} is asked about as ${asked.path}`);
  const told = asked.payload as { readonly attempt?: unknown; readonly input?: unknown };
  if (told.attempt !== attempt || JSON.stringify(told.input) !== JSON.stringify(call.input))
    throw new Illegal(`of "${slot.name}" something else is told than what it does`);
  call.waits = { due: null };
}

function settle(world: World, call: Call, said: Verdict): void {
  const { place, slot, attempt, input } = call;
  call.waits = null;
  if ("rerun" in said) {
    call.begun = 0;
    call.deadline = Infinity;
  } else if ("output" in said) {
    if (slot.stream >= 0) throw new Illegal(`"${slot.name}" gives a stream, and came to one value`);
    finishCall(world, call, { as: "value", value: said.output });
  } else {
    const error = { code: "Failed", type: "Error", message: said.fail, data: undefined };
    finishCall(world, call, { as: "failed", failure: record(world, place, slot, error, attempt, input) }, true);
  }
}

/** Whoever was at work, as far as one can tell: not what waits for its next attempt, for credit, for an answer or for its calls. */
export function countCrashes(world: World, at: number): void {
  for (const call of world.calls.values()) {
    const { phase, slot, place, attempt, items, due, crashes, waits } = call;
    if (phase !== "running" || slot.kind !== SlotKind.op || isUnsafe(slot) || waits !== null || due > at) continue;
    if (streamOf(world, place, slot.stream)?.suspended === true || waitsForCalls(world, call)) continue;
    const inARow = crashes.attempt === attempt && crashes.items === items ? crashes.count : 0;
    call.crashes = { count: inARow + 1, attempt, items };
  }
}

/** A body that nothing came of since the third crash fails because of it; an unsafe one gives nothing before it began. */
export function checkRecovered({ forked }: World, call: Call, happening: Answer): void {
  const { slot, attempt, begun } = call;
  if (happening.kind === "attemptFailed") checkLost(call, happening);
  else if (loops(call)) throw new Illegal(`${happening.kind} of "${slot.name}", which runs into its crashes`);
  // What a fork kept came of a body that began in its origin.
  else if (isUnsafe(slot) && begun !== attempt && !forked)
    throw new Illegal(`${happening.kind} of "${slot.name}", which did not begin`);
}

function checkLost(call: Call, { error: { code }, retryAt }: Extract<Answer, { kind: "attemptFailed" }>): void {
  const { slot, items, crashes } = call;
  if (code === "NotResumable" && mayBeLost(slot, items)) return;
  // A workflow fails with what failed in it, and that by its own code.
  if (slot.op?.converse !== undefined && !loops(call)) return;
  if (loops(call) !== (code === "CrashLoop"))
    throw new Illegal(`"${slot.name}" fails as ${code} after ${crashes.count} crashes`);
  if (code === "CrashLoop" && retryAt !== null) throw new Illegal(`"${slot.name}" is tried again after its crashes`);
}

function loops({ attempt, items, crashes }: Call): boolean {
  return crashes.count >= crashLimit && crashes.attempt === attempt && crashes.items === items;
}

function mayBeLost({ op }: SlotPlan, items: number): boolean {
  return op?.onResume === "fail" && (items > 0 || op.live !== undefined);
}
