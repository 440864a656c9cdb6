/**
 * Choices of blocks (rule 9): made once and recorded. A replay takes the recorded one: the predicate behind it may read
 * what is different now.
 */
import { addressOf } from "../state/path.ts";
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { RunState } from "../state/run-state.ts";

/** What `slot` chooses in `context`. A choice that throws is not recorded: it is a failure like any other. */
export function decide(run: RunState, context: Context, slot: SlotPlan, make: () => number): number {
  return run.journaled ? keep(run, context, slot, foretold(run, context, slot) ?? make()) : make();
}

/** The same where `due` is known, and what a replay took instead is no work saved. */
export function decideAs(run: RunState, context: Context, slot: SlotPlan, due: number): number {
  return run.journaled ? keep(run, context, slot, foretold(run, context, slot) ?? due) : due;
}

function keep(run: RunState, context: Context, slot: SlotPlan, choice: number): number {
  // Z1
  if (context.scope.ephemeral >= 0) return choice;
  run.decided ??= [];
  run.decided.push({ slot: slot.id, owner: context, choice });
  return choice;
}

/** By the journal that is replayed, or by the origin of a fork. */
function foretold(run: RunState, context: Context, slot: SlotPlan): number | undefined {
  const kept = run.kept === null ? undefined : run.kept.takeChoice(slot.id, addressOf(context));
  return recorded(run, context, slot) ?? kept;
}

function recorded(run: RunState, context: Context, slot: SlotPlan): number | undefined {
  const next = run.foretold?.[0];
  if (next === undefined || next.slot !== slot.id || next.at !== String(addressOf(context))) return undefined;
  run.foretold?.shift();
  return next.choice;
}
