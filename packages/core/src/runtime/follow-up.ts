/** What comes after a step. */
import { isUnrecorded, type Event } from "../scheduler/event.ts";
import { tell, tellHeld } from "./conversations.ts";
import { recordRegions } from "./regions.ts";
import type { Runner } from "./runner.ts";

/** The step is over: it gets its record, if it is one of those that get any. */
export function recordStep({ observe, recorder, state }: Runner, event: Event, encoded: string): void {
  if (observe !== null) observe.stepped();
  if (state.aside !== null) state.aside(state, event);
  if (recorder !== null && !isUnrecorded(event)) recorder.record(state, event, encoded);
}

/** What a step left to be done besides its effects. */
export function followUp(runner: Runner): void {
  if (runner.state.regions !== null) recordRegions(runner);
  if (runner.state.told !== null) tell(runner);
}

/** Something has become durable: what waited for that, besides effects. */
export function followDurable(runner: Runner): void {
  if (runner.talks.held.size > 0) tellHeld(runner);
}
