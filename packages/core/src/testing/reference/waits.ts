/** Nodes that wait without a body: sleeps until their time, questions until somebody answers or their time is over. */
import { SlotKind, type AskPlan } from "../../model/plan.ts";
import { finishCall, runningCall } from "./calls.ts";
import type { WaitHappening } from "./happening.ts";
import { findPlace, nodePathOf } from "./paths.ts";
import { waitsForCalls } from "./conversations.ts";
import { Illegal, slotOf, streamOf, type Call, type World } from "./world.ts";

/** Who answers a question that nobody answered in time. */
const BY_TIMEOUT = "timeout";

export function takeWait(world: World, happening: WaitHappening): void {
  const slot = slotOf(world, happening.slot);
  const call = runningCall(world, findPlace(world, slot, happening.at), slot, `a record (${happening.kind})`);
  const begins = happening.kind === "timerSet" || happening.kind === "asked";
  const kind = happening.kind === "timerSet" || happening.kind === "fired" ? SlotKind.sleep : SlotKind.ask;
  const isClock = happening.kind === "timerSet" && slot.kind === SlotKind.bounded;
  if (slot.kind !== kind && !isClock)
    throw new Illegal(`${happening.kind} of "${slot.name}", which is another kind of node`);
  if (begins !== (call.waits === null))
    throw new Illegal(`${happening.kind} of "${slot.name}", which ${begins ? "waits already" : "does not wait yet"}`);
  if (happening.kind === "timerSet") call.waits = { due: happening.due };
  else if (happening.kind === "fired") finishCall(world, call, { as: "value", value: undefined });
  else if (happening.kind === "asked") ask(world, call, happening);
  else acceptAnswer(world, call, happening);
}

function ask(world: World, call: Call, { due, payload, path }: Extract<WaitHappening, { kind: "asked" }>): void {
  const { place, slot, input } = call;
  const { timeout } = slot.ask as AskPlan;
  if ((due === null) !== (timeout === 0)) throw new Illegal(`"${slot.name}" waits ${due ?? "for ever"}`);
  if (path !== nodePathOf(world, place, slot.name)) throw new Illegal(`"${slot.name}" is asked as ${path}`);
  if (JSON.stringify(payload) !== JSON.stringify(input)) throw new Illegal(`"${slot.name}" asks something else`);
  call.waits = { due };
}

function acceptAnswer(world: World, call: Call, { by, value }: Extract<WaitHappening, { kind: "answered" }>): void {
  const { otherwise } = call.slot.ask as AskPlan;
  if (by === BY_TIMEOUT && JSON.stringify(otherwise?.value) !== JSON.stringify(value))
    throw new Illegal(`"${call.slot.name}" gave ${String(value)} when its time was over`);
  finishCall(world, call, { as: "value", value });
}

/** A question without a default fails when its time is over; what has a body fails as bodies do. */
export function checkMayFail({ slot, waits }: Call): void {
  if (waits === null || slot.kind === SlotKind.bounded) return;
  if (slot.op !== null) throw new Illegal(`"${slot.name}" fails, and it is asked what became of it`);
  if (slot.kind === SlotKind.sleep) throw new Illegal(`"${slot.name}" fails, and only sleeps`);
  if (waits.due === null || slot.ask?.otherwise !== null) throw new Illegal(`"${slot.name}" fails, and is still asked`);
}

/** Why a run may not be put aside, if it may not: something moves, or will soon, or nothing is asked. */
export function restlessness(world: World, at: number): string | null {
  const running = [...world.calls.values()].filter(({ phase }) => phase === "running");
  const asleep = running.filter((call) => call.waits !== null || isRetrying(call, at));
  // The items of an ephemeral generator, which are not known here, may wait too: whoever goes on begins it anew.
  const stuck = running.filter(
    (call) =>
      streamOf(world, call.place, call.slot.stream)?.suspended === true ||
      call.slot.op?.onResume === "ephemeral" ||
      waitsForCalls(world, call),
  );
  if (world.ending !== null) return "its finalizers are at work";
  if (asleep.length + stuck.length < running.length) return "something runs";
  if (!asleep.some(({ slot, waits }) => waits !== null && (slot.kind === SlotKind.ask || slot.op !== null)))
    return "nothing is asked";
  return asleep.some((call) => dueOf(call, at) - at <= nearMs) ? "it goes on soon" : null;
}

/** What is due later than this does not keep a run in a process. */
const nearMs = 5_000;

/** Its next attempt has not begun. */
function isRetrying({ waits, phase, due }: Call, at: number): boolean {
  return waits === null && phase === "running" && due > at;
}

function dueOf(call: Call, at: number): number {
  if (call.waits !== null) return call.waits.due ?? Infinity;
  return isRetrying(call, at) ? call.due : Infinity;
}

/** When the first of its timers is due, of a run that rests at that time. */
function wakeOf(world: World, at: number): number | undefined {
  const due = Math.min(...[...world.calls.values()].map((call) => dueOf(call, at)));
  return due === Infinity ? undefined : due;
}

/** When it has to be due, if `wake` is not when; null: it may be. */
export function otherWake(
  world: World,
  at: number,
  wake: number | undefined,
): { readonly due: number | undefined } | null {
  const due = wakeOf(world, at);
  if (wake === due) return null;
  const hasItems = [...world.calls.values()].some(
    ({ phase, slot }) => phase === "running" && slot.op?.onResume === "ephemeral",
  );
  // The items of an ephemeral generator, which are not known here, may be due before.
  const mayBe = hasItems && wake !== undefined && wake - at > nearMs && wake < (due ?? Infinity);
  return mayBe ? null : { due };
}
