/**
 * One dependency of a slot resolved: what that means for the slot.
 *
 * R3  A failed or skipped input decides at once and skips the consumer; a swept or absent one decides when all inputs
 *     are known, swept before absent. So the outcome never depends on which input was first to have no value.
 */
import type { Context, Waiter } from "../state/context.ts";
import { isBroken, missingMask, Resolution, waitsAbsent, waitsSwept } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { Flag } from "../state/tables.ts";
import { work } from "../state/work.ts";
import { dispatchAtOnce, readyAtOnce } from "./dispatch.ts";
import { keepQuietly } from "./edges/values.ts";
import { doneWith, resolveAt } from "./queue.ts";

export function notify(
  run: RunState,
  context: Context,
  id: number,
  after: boolean,
  state: number,
  value: unknown,
): void {
  const { locals, flags } = run.tables;
  const local = locals[id] as number;
  const before = context.states[local] as number;
  if (before < 0) return;
  if (isBroken(state)) {
    resolveAt(context, id, local, Resolution.skipped, value);
    return;
  }
  const now = before - 1 + (after || state === Resolution.value ? 0 : poison(before, state));
  context.states[local] = now;
  if (now === 0) becomeReady(run, context, id, flags[id] as number);
  else if ((now & missingMask) === 0)
    resolveAt(context, id, local, now >= waitsSwept ? Resolution.swept : Resolution.absent, undefined);
}

/**
 * An op of the run scope is dispatched at once: nothing that others read depends on when. Edges and cells must keep the
 * order of the queue (R2), an item may still be dropped before its op gets into a lane, and a failure that is in the
 * queue already sweeps an unsafe op only as long as it was not dispatched.
 */
function becomeReady(run: RunState, context: Context, id: number, flags: number): void {
  if ((flags & Flag.op) === 0) edgeReady(run, context, id, flags);
  else if ((flags & (Flag.lane | Flag.unsafe)) === 0) dispatchAtOnce(run, context, id);
  // An unsafe one keeps its turn: whether it was dispatched makes a difference to who sweeps it.
  else if (work.size === 0 && (flags & Flag.unsafe) === 0) readyAtOnce(run, context, id);
  else work.push(context, ~id);
}

/** Whatever is not quiet keeps its turn. */
function edgeReady(run: RunState, context: Context, id: number, flags: number): void {
  if ((flags & Flag.quiet) === 0 || !keepQuietly(run, context, id)) work.push(context, ~id);
}

function poison(before: number, state: number): number {
  if (state === Resolution.absent) return waitsAbsent - (before & waitsAbsent);
  if (state === Resolution.swept) return waitsSwept - (before & waitsSwept);
  return 0;
}

/** A slot that contexts further in wait for resolved. */
export function notifyWaiters(run: RunState, waiters: readonly Waiter[], state: number, value: unknown): void {
  for (const { context, slot, after } of waiters) {
    if (context.closed) continue;
    notify(run, context, slot, after, state, value);
    doneWith(context);
  }
}
