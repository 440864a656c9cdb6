/** Bodies that were at work whenever the process of their run died: they may be what it dies of. */
import { SlotKind, type SlotPlan } from "../model/plan.ts";
import { openInvocations } from "./invocations.ts";
import { Todo, type Pending } from "./pending.ts";
import type { RunState } from "./run-state.ts";
import type { StreamInstance } from "./stream.ts";

/** So many crashes in a row, and a body is not begun again. */
export const crashLimit = 3;

export interface Crashes {
  readonly count: number;
  /** How far it had come: a body that comes further between two crashes begins to count anew. */
  readonly attempt: number;
  readonly yielded: number;
}

/** The process died some time before `at`, in milliseconds since 1970. */
export function countCrashes(run: RunState, at: number): void {
  for (const pending of openInvocations(run)) if (wasAtWork(pending, at)) count(run, pending);
}

function count(run: RunState, pending: Pending): void {
  const { attempt, yielded } = pending;
  run.crashes ??= new WeakMap();
  const before = run.crashes.get(pending);
  const inARow = before?.attempt === attempt && before.yielded === yielded ? before.count : 0;
  run.crashes.set(pending, { count: inARow + 1, attempt, yielded });
}

/**
 * As far as the journal knows. What waits, for an answer, for its next attempt, for credit or for its calls, was not; of unsafe bodies
 * the outside says what became of them.
 */
function wasAtWork({ slot, todo, due, context }: Pending, at: number): boolean {
  if (slot.kind !== SlotKind.op || slot.op?.effect === "unsafe" || todo === Todo.wait) return false;
  if (todo === Todo.retry && due > at) return false;
  return context.streams?.some((stream) => stream.plan.id === slot.stream && isWaitedFor(slot, stream)) !== true;
}

/** Its producer waits: for credit, or, as the body of a workflow, for what it called. */
function isWaitedFor({ op }: SlotPlan, { waiting, first }: StreamInstance): boolean {
  return waiting || (op?.converse !== undefined && first !== null);
}

/** How many crashes in a row it was at work at. */
export function crashesOf(run: RunState, pending: Pending): number {
  return run.crashes?.get(pending)?.count ?? 0;
}
