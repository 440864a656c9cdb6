/**
 * A graph call with a time limit: a block whose one arm holds the callee's nodes. Its slot is an invocation without a
 * body that waits for the moment at which the call is over, so that the moment is a record like that of a sleep.
 *
 * G1  The clock starts when the call is taken up, and stops when the callee is through.
 * G2  A call that is over fails; bodies of unsafe ops that run in it are awaited, the rest is swept.
 */
import type { SlotPlan } from "../../model/plan.ts";
import { findBlock, type BlockInstance } from "../../state/block.ts";
import type { Context } from "../../state/context.ts";
import { Pending, Todo } from "../../state/pending.ts";
import type { Reader } from "../../state/program.ts";
import { isResolved, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { abandon, stopSlot } from "../abandon.ts";
import { edgeFailed } from "../failures.ts";
import { doneWith, emit, resolve } from "../queue.ts";
import { closeBlock, openArm, openBlock } from "./contexts.ts";

export function readyBounded(run: RunState, context: Context, slot: SlotPlan): void {
  let input: unknown;
  try {
    input = (run.program.readers[slot.id] as Reader)(context);
  } catch (thrown) {
    resolve(context, slot, Resolution.failed, edgeFailed(run, context, slot, thrown));
    return;
  }
  const block = openBlock(context, slot);
  startClock(run, context, slot, input);
  openArm(run, block, 0);
}

/** G1. It is no op: an item in which nothing else began may still be dropped. */
function startClock(run: RunState, context: Context, slot: SlotPlan, input: unknown): void {
  const { id, local } = slot;
  const clock = new Pending(context, slot, id, local, run.tables.flags[id] as number, input);
  context.open++;
  context.states[local] = Resolution.running;
  context.values[local] = clock;
  run.inFlight++;
  emit(run, clock, Todo.start);
}

/** G1. Of a call that is over, what was awaited came to its end: nobody waits for that. */
export function calleeClosed(run: RunState, { owner, slot }: BlockInstance): void {
  if (isResolved(owner.states[slot.local] as number)) return;
  stopSlot(run, owner, slot, Resolution.value);
  doneWith(owner);
}

/** G2. The call itself has failed already. */
export function expire(run: RunState, { context, slot }: Pending): void {
  const block = findBlock(context, slot.id);
  const [callee] = block?.children ?? [];
  if (block === undefined || callee === undefined) return;
  if (abandon(run, callee, Resolution.swept, { keepUnsafe: true })) closeBlock(run, block);
}
