/**
 * `ordered: true` where there is no body: pushes and emissions of the items of a stream, in yield order. They have a lane, as
 * ops do, and do all of their work when their turn in it comes.
 */
import type { SlotPlan } from "../../model/plan.ts";
import type { Context } from "../../state/context.ts";
import { laneOf } from "../../state/lane.ts";
import { Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import { doneWith } from "../queue.ts";
import { admitQueued, enterLane } from "./lane.ts";

type Act = (run: RunState, context: Context, slot: SlotPlan) => void;

export function inTurn(act: Act): Act {
  return (run, context, slot) => {
    if (slot.ordered) actInOrder(act, run, context, slot);
    else act(run, context, slot);
  };
}

/** The first time it lines up; when it is admitted it comes here again. */
function actInOrder(act: Act, run: RunState, context: Context, slot: SlotPlan): void {
  if (context.states[slot.local] !== Resolution.admitted) {
    context.open++;
    enterLane(context, slot);
    return;
  }
  act(run, context, slot);
  const lane = laneOf(context, slot);
  lane.running--;
  admitQueued(lane, slot);
  doneWith(context);
}
