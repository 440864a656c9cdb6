/**
 * The queue of one step. Everything that happens because of an event is put here and nowhere else; `drain.ts` takes it
 * out, first in, first out, until nothing is left. That order is part of the contract: cells fold by it.
 *
 * R1  A slot resolves once per context; the first resolution wins.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { Todo, Pending } from "../state/pending.ts";
import type { RunState } from "../state/run-state.ts";
import { work } from "../state/work.ts";

/** R1: gives `slot` its resolution in `context`; its dependents hear of it when the queue gets there. */
export function resolve(context: Context, slot: SlotPlan, state: number, value: unknown): void {
  resolveAt(context, slot.id, slot.local, state, value);
}

/** The same for callers that have not touched the slot. */
export function resolveAt(context: Context, id: number, local: number, state: number, value: unknown): void {
  context.states[local] = state;
  context.values[local] = value;
  work.push(context, id);
}

/** `slot` has all it needs, or was admitted to its lane. */
export function markReady(context: Context, slot: SlotPlan): void {
  work.push(context, ~slot.id);
}

/** One piece of open work of `context` ended; it closes once the queue is empty, if nothing new opened. */
export function doneWith(context: Context): void {
  context.open--;
  if (context.open === 0) work.closing.push(context);
}

/** Hands an invocation to the runtime. During replay it only stays pending. */
export function emit(run: RunState, pending: Pending, todo: Todo): void {
  pending.todo = todo;
  pending.seq = run.seq;
  if (!run.replaying) run.effects.push(pending);
}
