/**
 * The numbered invariants of the kernel, executable: what must hold between any two steps. Every count is taken anew
 * from what it counts, so that a counter that went wrong is found at the step that broke it. For tests; costs O(state).
 *
 * B1 B2 blocks · C1 C2 C4 C5 collectors · D3 in flight · E2 E3 E4 step · K1 K2 K3 contexts · L1 L2 lanes · R1 R3 resolutions · S1 S2 streams · Z1 ephemeral
 */
import { invariantBroken } from "../base/error.ts";
import { SlotKind, type SlotPlan } from "../model/plan.ts";
import type { BlockInstance } from "./block.ts";
import type { CollectState } from "./collect.ts";
import { enclosing, type Context } from "./context.ts";
import type { Lane } from "./lane.ts";
import { contextPath } from "./path.ts";
import { isCurrent, Pending } from "./pending.ts";
import { isBroken, isResolved, missingMask, Resolution, resolutionName, waitsAbsent } from "./resolution.ts";
import type { Region } from "./region.ts";
import type { RunState } from "./run-state.ts";
import type { StreamInstance } from "./stream.ts";
import { openContexts } from "./walk.ts";
import { work } from "./work.ts";

/** @throws MillraceError `InvariantBroken`, naming the first that does not hold. */
export function checkInvariants(run: RunState): void {
  const contexts = openContexts(run.root);
  const waits = countWaits(contexts);
  let inFlight = 0;
  for (const context of contexts) {
    checkContext(run, context, waits.get(context) ?? 0);
    for (const slot of slotsOf(run, context)) checkSlot(run, context, slot);
    for (const stream of context.streams ?? []) checkStream(run, stream);
    for (const block of context.blocks ?? []) checkBlock(run, block);
    inFlight += countInFlight(context);
  }
  checkStep(run, inFlight);
}

function hold(id: string, holds: boolean, detail: () => string): void {
  if (!holds) throw invariantBroken(id, detail());
}

function slotsOf(run: RunState, context: Context): SlotPlan[] {
  return context.scope.slots.map((id) => run.program.plan.slots[id] as SlotPlan);
}

/** E2 nothing is queued; D3 `inFlight` counts what was dispatched and can answer; E3 the run ends when nothing can; E4 and says what waited. */
function checkStep(run: RunState, inFlight: number): void {
  hold(
    "E2",
    work.size === 0 && work.closing.length === 0,
    () => `${work.size} consequences and ${work.closing.length} closings are left after step ${run.seq}`,
  );
  hold("D3", run.inFlight === inFlight, () => `inFlight is ${run.inFlight}, and ${inFlight} invocations are`);
  const ends = run.ending === null && isToEnd(run);
  const over = run.root.closed || ends || inFlight === 0;
  hold(
    "E3",
    (run.end !== null) === over,
    () =>
      `the run ${run.end === null ? "goes on" : `is ${run.end.status}`} with its root ${run.root.closed ? "closed" : "open"} and ${inFlight} in flight`,
  );
  const stalled = run.end !== null && run.ending === null && !ends && !run.root.closed;
  hold(
    "E4",
    !stalled || run.end?.errors.some(({ code }) => code === "Stalled") === true,
    () => `the run ended because nothing in it went on, and nothing is said to have waited`,
  );
}

/** Whatever is going on in it. */
function isToEnd({ raised, cancelReason, failures }: RunState): boolean {
  return raised !== null || cancelReason !== null || failures?.ofRun === true;
}

/** Waits for outer slots, by who waits. */
function countWaits(contexts: readonly Context[]): Map<Context, number> {
  const counts = new Map<Context, number>();
  for (const { waiters } of contexts) {
    for (const { context } of [...(waiters?.values() ?? [])].flat())
      counts.set(context, (counts.get(context) ?? 0) + 1);
  }
  return counts;
}

/** K1 `open` counts its work, and a context without any is closed; K2 it is inside open ones; K3 the root too. */
function checkContext(run: RunState, context: Context, waits: number): void {
  const name = (): string => contextPath(run.program.plan, context);
  const busy = context.states.filter(
    (state) => state === Resolution.queued || state === Resolution.admitted || state === Resolution.running,
  ).length;
  const streams = context.streams?.length ?? 0;
  const blocks = context.blocks?.length ?? 0;
  const open = busy + waits + streams + blocks + context.holds;
  hold(
    "K1",
    context.open === open,
    () => `open of ${name()} is ${context.open}: ${busy} ops, ${waits} waits, ${streams} streams, ${blocks} blocks`,
  );
  hold(
    "K3",
    context.closed === (open === 0),
    () => `${name()} is ${context.closed ? "closed" : "open"} with ${open} pieces of work`,
  );
  hold("K2", context.parent?.closed !== true, () => `${name()} is open inside a closed context`);
}

function checkSlot(run: RunState, context: Context, slot: SlotPlan): void {
  const state = context.states[slot.local] as number;
  const name = (): string =>
    `slot ${slot.id} (${slot.name}) of ${contextPath(run.program.plan, context)}, ${resolutionName(state)},`;
  const value = context.values[slot.local];
  hold("L1", state !== Resolution.admitted, () => `${name()} was admitted and not dispatched`);
  if (state >= 0) checkWaiting(run, context, slot, state, name);
  else if (state === Resolution.running)
    hold(
      "R1",
      value instanceof Pending && value.context === context && value.slot === slot && isCurrent(value),
      () => `${name()} holds no invocation of its own`,
    );
  else if (state === Resolution.open) checkOpen(context, slot, value, name);
  else if (isBroken(state))
    hold("R1", typeof value === "object" && value !== null && "anchor" in value, () => `${name()} names no failure`);
  else if (state === Resolution.queued) hold("L1", slot.lane >= 0, () => `${name()} is queued and has no lane`);
}

/** B1 */
function checkOpen(context: Context, slot: SlotPlan, value: unknown, name: () => string): void {
  const known =
    slot.kind === SlotKind.finalizer ||
    slot.kind === SlotKind.forward ||
    context.blocks?.includes(value as BlockInstance) === true;
  hold("B1", known, () => `${name()} is open, and its context has no such block`);
}

/** R3 it counts what is unresolved, remembers what was absent, and nothing that it waits for is broken. */
function checkWaiting(run: RunState, context: Context, slot: SlotPlan, state: number, name: () => string): void {
  const { plan } = run.program;
  let missing = slot.collect !== null || slot.arms !== null || slot.kind === SlotKind.forward ? 1 : 0;
  let absent = false;
  for (const dependency of slot.dependencies) {
    const source = plan.slots[dependency.slot] as SlotPlan;
    const at = enclosing(context, plan.scopes[source.scope]?.depth ?? 0).states[source.local] as number;
    hold("R3", !isBroken(at), () => `${name()} waits, and slot ${source.id} is ${resolutionName(at)}`);
    if (!isResolved(at)) missing++;
    if ((at === Resolution.absent || at === Resolution.swept) && !dependency.after) absent = true;
  }
  hold(
    "R3",
    (state & missingMask) === missing && missing > 0,
    () => `${name()} waits for ${state & missingMask}, and ${missing} are unresolved`,
  );
  hold("R3", state >= waitsAbsent === absent, () => `${name()} ${absent ? "forgot" : "made up"} an absent input`);
}

/** B1 it has open contexts, all of its own; B2 at most one iteration at a time. */
function checkBlock(run: RunState, block: BlockInstance): void {
  const name = `${contextPath(run.program.plan, block.owner)}/${block.slot.name}`;
  const { children, owner, plan } = block;
  hold("B1", children.length > 0, () => `${name} has no open context, and is still there`);
  hold(
    "B1",
    children.every((child) => child.block === block && child.parent === owner && !child.closed),
    () => `${name} has a context that is closed or not its own`,
  );
  const arms = new Set(children.map(({ scope }) => scope.id));
  hold("B2", arms.size === children.length, () => `${name} has an arm open ${children.length} times`);
  hold(
    "B2",
    children.every(({ index }) => index < plan.max),
    () => `${name} went on beyond ${plan.max} iterations`,
  );
}

/** S1 at most `buffer` open items, linked in yield order; S2 nobody waits for credit that is there. */
function checkStream(run: RunState, stream: StreamInstance): void {
  const name = `${contextPath(run.program.plan, stream.owner)}/${stream.plan.segment}`;
  const items = linkedItems(stream);
  hold(
    "S1",
    stream.openItems === items.length,
    () => `${name} counts ${stream.openItems} open items, and ${items.length} are linked`,
  );
  hold(
    "S1",
    items.length <= stream.plan.buffer,
    () => `${name} has ${items.length} open items and a buffer of ${stream.plan.buffer}`,
  );
  hold(
    "S1",
    items.every(
      (item, i) =>
        item.stream === stream &&
        !item.closed &&
        item.index < stream.yielded &&
        (items[i - 1]?.index ?? -1) < item.index,
    ),
    () => `${name} has its items out of order: ${items.map(({ index }) => index).join(", ")}`,
  );
  const credit = items.length < stream.plan.buffer;
  if (stream.region === null) {
    hold("S2", !(credit && stream.waiting), () => `${name} waits, and has credit`);
    hold("K1", !stream.ended || items.length > 0, () => `${name} is over and still open`);
  } else checkRegion(run, stream, stream.region, name);
  if (stream.list !== null && !stream.owner.abandoned)
    hold(
      "S2",
      stream.ended === (stream.yielded === stream.list.length) && (stream.ended || !credit),
      () => `${name} gave ${stream.yielded} of ${stream.list?.length} items, ended: ${stream.ended}, credit: ${credit}`,
    );
  // In a swept context nobody collects any more.
  const collects = stream.owner.abandoned ? [] : stream.collects;
  for (const collect of collects) checkCollect(stream, items, collect, name, run);
  stream.lanes.forEach((lane, index) => lane === undefined || checkLane(run, stream, items, lane, index));
}

/** Z1 what was made of its items is to be recorded as soon as they are through, and not before; S2 what waits has no credit, or ended. */
function checkRegion(
  run: RunState,
  { ended, openItems, plan, waiting, ...stream }: StreamInstance,
  { cut }: Region,
  name: string,
): void {
  const recorded = run.regions?.some(({ region }) => region === stream.region) ?? false;
  const credit = openItems < plan.buffer;
  hold("S2", !waiting || !credit || ended, () => `${name} waits, and has credit`);
  hold(
    "Z1",
    cut !== null || recorded === (ended && openItems === 0),
    () => `${name} is through and nobody records it, or the other way round`,
  );
}

function linkedItems(stream: StreamInstance): Context[] {
  const items: Context[] = [];
  for (let item = stream.first; item !== null; item = item.next) items.push(item);
  return items;
}

/**
 * C1 `left` counts the unresolved; C2 it fires when the stream ended and nothing is left, and then its slot is resolved; C5 what
 * goes out of a stream in an item is known only until that is over.
 */
function checkCollect(
  stream: StreamInstance,
  items: readonly Context[],
  collect: CollectState,
  name: string,
  run: RunState,
): void {
  const watch = run.program.plan.slots[collect.slot.collect?.watch ?? 0] as SlotPlan;
  const left = items.filter((item) => !isResolved(item.states[watch.local] as number)).length;
  hold(
    "C1",
    collect.left === left,
    () => `slot ${collect.slot.id} over ${name} has ${collect.left} left, and ${left} are unresolved`,
  );
  hold(
    "C2",
    collect.fired === (stream.ended && left === 0 && stream.region === null),
    () =>
      `slot ${collect.slot.id} over ${name} has ${collect.fired ? "fired" : "not fired"} with ${left} left, ended: ${stream.ended}`,
  );
  hold(
    "C2",
    collect.fired === isResolved(stream.owner.states[collect.slot.local] as number),
    () => `slot ${collect.slot.id} over ${name}: fired is ${collect.fired}`,
  );
  checkEarly(stream, collect, name);
  const going = new Set(items.flatMap((item) => (isResolved(item.states[watch.local] as number) ? [] : [item.index])));
  hold(
    "C5",
    Array.from(collect.relays?.keys() ?? []).every((index) => going.has(index)),
    () => `slot ${collect.slot.id} over ${name} keeps what goes out of items that are through`,
  );
}

/** C4 what a reduce keeps for later is of open items, or of such that were swept; and as much as one stream may have open. */
function checkEarly(stream: StreamInstance, { early, gaps, next, slot }: CollectState, name: string): void {
  const kept = [...(early?.values() ?? [])];
  const { buffer } = stream.plan;
  hold(
    "C4",
    kept.every(({ item }) => item.index > next && (item.closed || item.abandoned || item.holds > 0)),
    () => `slot ${slot.id} over ${name} keeps values of items that nothing holds open`,
  );
  hold(
    "C4",
    kept.length <= buffer && (gaps?.size ?? 0) <= buffer + 1,
    () =>
      `slot ${slot.id} over ${name} keeps ${kept.length} values and ${gaps?.size ?? 0} gaps with a buffer of ${buffer}`,
  );
}

/** L1 it counts who runs, never above its capacity; nobody stands in line while there is room. */
function checkLane(run: RunState, stream: StreamInstance, items: readonly Context[], lane: Lane, index: number): void {
  const slot = run.program.plan.slots[stream.plan.lanes[index] as number] as SlotPlan;
  let running = 0;
  let queued = 0;
  for (const { states } of instancesOf(slot, stream, items)) {
    if (states[slot.local] === Resolution.running) running++;
    else if (states[slot.local] === Resolution.queued) queued++;
  }
  const name = (): string =>
    `the lane of ${slot.name} in ${contextPath(run.program.plan, stream.owner)}/${stream.plan.segment}`;
  hold("L1", lane.running === running, () => `${name()} counts ${lane.running}, and ${running} run`);
  hold("L1", running <= slot.laneCapacity, () => `${name()} runs ${running} of ${slot.laneCapacity}`);
  hold(
    "L1",
    slot.ordered || queued === 0 || running === slot.laneCapacity,
    () => `${name()} has room, and ${queued} wait`,
  );
  // As many as the stream may have open, or one item more where the oldest is dropped for it.
  const { buffer } = stream.plan;
  const early = lane.early?.size ?? 0;
  const gaps = lane.gaps?.size ?? 0;
  hold(
    "L2",
    early <= buffer + 1 && gaps <= buffer + 2,
    () => `${name()} keeps ${early} items and ${gaps} gaps with a buffer of ${buffer}`,
  );
}

/** Open contexts of the slot's scope in these items: mostly they are that themselves. */
function instancesOf(slot: SlotPlan, stream: StreamInstance, items: readonly Context[]): readonly Context[] {
  if (slot.scope === stream.plan.itemScope) return items;
  return items.flatMap((item) => openContexts(item).filter(({ scope }) => scope.id === slot.scope));
}

/** Dispatched and able to answer: not a generator that waits for credit. */
function countInFlight(context: Context): number {
  const suspended = (context.streams ?? []).filter((stream) => stream.waiting).length;
  return context.states.filter((state) => state === Resolution.running).length - suspended;
}
