/**
 * One dependency of a slot resolved: what that means for the slot.
 *
 * R3  A failed or skipped input decides at once and skips the consumer; a swept or absent one decides when all inputs
 *     are known, swept before absent. So the outcome never depends on which input was first to have no value.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context, Waiter } from "../state/context.ts";
import { isBroken, missingMask, Resolution, waitsAbsent, waitsSwept } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { doneWith, markReady, resolve } from "./queue.ts";

export function notify(
  run: RunState,
  context: Context,
  local: number,
  after: boolean,
  state: number,
  value: unknown,
): void {
  const before = context.states[local] as number;
  if (before < 0) return;
  const slot = run.program.plan.slots[context.scope.slots[local] as number] as SlotPlan;
  if (isBroken(state)) {
    resolve(context, slot, Resolution.skipped, value);
    return;
  }
  const now = before - 1 + (after || state === Resolution.value ? 0 : poison(before, state));
  context.states[local] = now;
  if (now === 0) markReady(context, slot);
  else if ((now & missingMask) === 0)
    resolve(context, slot, now >= waitsSwept ? Resolution.swept : Resolution.absent, undefined);
}

function poison(before: number, state: number): number {
  if (state === Resolution.absent) return waitsAbsent - (before & waitsAbsent);
  if (state === Resolution.swept) return waitsSwept - (before & waitsSwept);
  return 0;
}

/** A slot that contexts further in wait for resolved. */
export function notifyWaiters(run: RunState, waiters: readonly Waiter[], state: number, value: unknown): void {
  for (const { context, local, after } of waiters) {
    if (context.closed) continue;
    notify(run, context, local, after, state, value);
    doneWith(context);
  }
}
