/** Contexts close when their work ended (K1), and give their credit back. */
import type { SlotPlan } from "../model/plan.ts";
import { freed, type Context } from "../state/context.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { work } from "../state/work.ts";
import { retireItem, type StreamInstance } from "../state/stream.ts";
import { closeInBlock } from "./blocks/close.ts";
import { refill } from "./policies/credit.ts";
import { passOver } from "./policies/lane.ts";
import { stalled } from "./failures.ts";
import { resolve } from "./queue.ts";
import { closeStreamIfDone } from "./streams.ts";

/** Closes the context whose work ended last, if it still has none; false when there is no candidate left. */
export function closeFinished(run: RunState): boolean {
  const context = work.closing.pop();
  if (context === undefined) return false;
  if (context.open === 0 && !context.closed) close(run, context);
  return true;
}

function close(run: RunState, context: Context): void {
  if (hasUnresolved(context)) {
    failUnresolved(run, context);
    work.closing.push(context);
    return;
  }
  run.reported?.delete(context);
  const { block, stream } = context;
  if (block !== null) closeInBlock(run, block, context);
  else if (stream !== null) closeItem(run, stream, context);
  else {
    context.closed = true; // The root; its values are the run's result.
    return;
  }
  context.states = freed;
  context.values = freed;
  context.streams = null;
  context.blocks = null;
  if (stream === null) return;
  refill(run, stream);
  closeStreamIfDone(run, stream);
}

function closeItem(run: RunState, stream: StreamInstance, item: Context): void {
  retireItem(stream, item);
  passOver(run, stream, item);
}

export function hasUnresolved(context: Context): boolean {
  const { states } = context;
  for (let local = 0; local < states.length; local++) if ((states[local] as number) >= 0) return true;
  return false;
}

/**
 * Nothing in the context goes on, and something in it waits: it can never run. Never silent (rule 2): named nodes fail
 * as `Stalled`, and with none of those the edges, at their nearest named source.
 */
function failUnresolved(run: RunState, context: Context): void {
  const waiting = context.scope.slots
    .map((id) => run.program.plan.slots[id] as SlotPlan)
    .filter((slot) => (context.states[slot.local] as number) >= 0);
  const named = waiting.filter((slot) => slot.name !== "");
  for (const slot of named.length > 0 ? named : waiting) {
    resolve(context, slot, Resolution.failed, stalled(run, context, slot));
  }
}
