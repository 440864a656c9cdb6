/**
 * Takes a context out of the run: what is open in it resolves as `state` (swept or absent), invocations are aborted,
 * streams and blocks in it end without a result, and it closes at once.
 *
 * A1  Nothing that was open in it can answer any more: late answers find another value in their slot.
 * A2  With `keepUnsafe`, bodies of unsafe ops that run stay, and with them the contexts around: they are awaited. A
 *     generator goes on to its end, and its items go nowhere.
 */
import type { SlotPlan } from "../model/plan.ts";
import { removeChild, type BlockInstance } from "../state/block.ts";
import { enclosing, type Context } from "../state/context.ts";
import { forgetQueued, laneOf } from "../state/lane.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import { nodePath } from "../state/path.ts";
import type { RunState } from "../state/run-state.ts";
import { retireItem, type StreamInstance } from "../state/stream.ts";
import { givesUnrecorded } from "../state/tables.ts";
import { discard } from "./open-forward.ts";
import { isAsked, isInDoubt } from "../state/unsafe-bodies.ts";
import { admitQueued, passOver } from "./policies/lane.ts";
import { emit, resolve } from "./queue.ts";

interface Options {
  readonly keepUnsafe: boolean;
}

/** True when it is closed; false when something that must be awaited keeps it open. */
export function abandon(
  run: RunState,
  context: Context,
  state: number,
  options: Options = { keepUnsafe: false },
): boolean {
  abandonInside(run, context, state, options);
  if (context.open > 0) {
    context.abandoned = true;
    stopWaiting(context);
    return false;
  }
  retire(run, context);
  return true;
}

/** The same for a context that stays. */
export function abandonInside(
  run: RunState,
  context: Context,
  state: number,
  options: Options = { keepUnsafe: false },
): void {
  const suspended = context.streams?.filter((stream) => stream.waiting) ?? [];
  let open = 0;
  open += keepOpen(context.streams, (stream) => abandonStream(run, stream, state, options));
  open += keepOpen(context.blocks, (block) => abandonBlock(run, block, state, options));
  const running = stopInvocations(run, context, state, suspended, options);
  context.open = open + running;
  // What is on its way out of it goes nowhere (T1).
  context.holds = 0;
}

/** What it waited for further out is not its work any more. */
function stopWaiting(context: Context): void {
  const { depth, outer } = context.scope;
  for (const { slot, hops } of outer) {
    const { waiters } = enclosing(context, depth - hops);
    const waiting = waiters?.get(slot);
    if (waiting !== undefined)
      waiters?.set(
        slot,
        waiting.filter((waiter) => waiter.context !== context),
      );
  }
}

/** Ends each of them and leaves in the list, and counts, those that must stay. */
function keepOpen<T>(list: T[] | null, end: (item: T) => boolean): number {
  if (list === null) return 0;
  const kept = list.filter((item) => !end(item));
  list.length = 0;
  list.push(...kept);
  return kept.length;
}

function abandonStream(run: RunState, stream: StreamInstance, state: number, options: Options): boolean {
  stream.ended = true;
  stream.producer = null;
  if (stream.region !== null) run.openRegions--;
  stream.waiting = false;
  for (const collect of stream.collects) collect.fired = true;
  // It may come from items that stay: those of a stream that leaves a block.
  if (stream.forward !== null) discard(stream.forward.clear());
  for (let item = stream.first; item !== null;) {
    const { next } = item;
    abandon(run, item, state, options);
    item = next;
  }
  return stream.first === null;
}

function abandonBlock(run: RunState, block: BlockInstance, state: number, options: Options): boolean {
  block.decided = true;
  block.abandoned = true;
  for (const child of Array.from(block.children)) abandon(run, child, state, options);
  return block.children.length === 0;
}

/** Gives every open slot its resolution; returns how many invocations stay (A2). */
function stopInvocations(
  run: RunState,
  context: Context,
  state: number,
  suspended: readonly StreamInstance[],
  options: Options,
): number {
  let kept = 0;
  const { slots } = context.scope;
  for (let local = 0; local < slots.length; local++) {
    const now = context.states[local] as number;
    if (isResolved(now)) continue;
    const slot = run.program.plan.slots[slots[local] as number] as SlotPlan;
    if (now === Resolution.running && options.keepUnsafe && isAwaited(context.values[local] as Pending)) {
      kept++;
      goOn(run, context.values[local] as Pending, suspended);
    } else stopOne(run, context, slot, now, state, suspended);
  }
  return kept;
}

/** Of a body in doubt nothing runs: its question is withdrawn. */
function isAwaited(pending: Pending): boolean {
  return pending.slot.op?.effect === "unsafe" && !isInDoubt(pending);
}

function stopOne(
  run: RunState,
  context: Context,
  slot: SlotPlan,
  now: number,
  state: number,
  suspended: readonly StreamInstance[],
): void {
  if (now === Resolution.running) abort(run, context.values[slot.local] as Pending, suspended);
  resolve(context, slot, state, undefined);
  if (slot.lane < 0) return;
  if (now === Resolution.queued) forgetQueued(laneOf(context, slot));
  else if (now === Resolution.running || now === Resolution.admitted) giveLane(context, slot);
}

/** The next in line goes in its turn, if it is not swept by then. */
function giveLane(context: Context, slot: SlotPlan): void {
  const lane = laneOf(context, slot);
  lane.running--;
  admitQueued(lane, slot);
}

/** One slot of a context that stays: resolves as `state`, and what runs for it is aborted. */
export function stopSlot(run: RunState, context: Context, slot: SlotPlan, state: number): void {
  const suspended = context.streams?.filter((stream) => stream.waiting) ?? [];
  stopOne(run, context, slot, context.states[slot.local] as number, state, suspended);
}

/** Nobody gives it credit any more. */
function goOn(run: RunState, pending: Pending, suspended: readonly StreamInstance[]): void {
  if (!suspended.some((stream) => stream.plan.source === pending.slot.id)) return;
  run.inFlight++;
  emit(run, pending, Todo.pull);
}

function abort(run: RunState, pending: Pending, suspended: readonly StreamInstance[]): void {
  if (!suspended.some((stream) => stream.plan.source === pending.slot.id)) run.inFlight--;
  if (isAsked(pending)) withdraw(run, pending);
  if (run.probe !== null && (pending.flags & givesUnrecorded) !== 0) run.probe.reset(pending);
  if (run.replaying) return;
  run.aborted ??= [];
  run.aborted.push(pending);
}

/** They serve the message to whoever answers too late; a loop may withdraw one per turn. */
const keptWithdrawn = 1_000;

function withdraw(run: RunState, question: Pending): void {
  run.withdrawnPaths ??= new Set();
  run.withdrawnPaths.add(nodePath(run.program.plan, question.context, question.slot.id));
  const [oldest] = run.withdrawnPaths;
  if (run.withdrawnPaths.size > keptWithdrawn && oldest !== undefined) run.withdrawnPaths.delete(oldest);
  if (run.probe !== null) run.probe.answered(question, "withdrawn", undefined);
  if (!run.journaled) return;
  run.withdrawn ??= [];
  run.withdrawn.push(question);
}

function retire(run: RunState, context: Context): void {
  context.closed = true;
  if (context.stream !== null) {
    retireItem(context.stream, context);
    passOver(run, context.stream, context);
  } else if (context.block !== null) removeChild(context.block, context);
}
