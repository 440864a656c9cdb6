/** What a run did before its reader came, as the same events that a reader would have been given live. */
import { relive } from "../../journal/relive.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { Clock } from "../../ports/clock.ts";
import { RunObserver } from "../../runtime/observe.ts";
import { startedEvent } from "../../scheduler/event.ts";
import { step } from "../../scheduler/step.ts";
import { RunState } from "../../state/run-state.ts";
import { runNotFound } from "../run-errors.ts";
import type { StreamEvent, StreamMode } from "./events.ts";
import { RunEvents } from "./run-events.ts";

/** From the journal, up to and with record `until`: a batch per row. `began` is given the state that is read into. */
export async function* journaledEvents(
  backend: Backend,
  row: Pick<RunRow, "id"> | RunRow,
  plan: Plan,
  clock: Clock,
  modes: ReadonlySet<StreamMode>,
  { from, until }: { readonly from: number; readonly until: number },
  began: (run: RunState) => void = () => undefined,
): AsyncGenerator<readonly StreamEvent[]> {
  const full = "fingerprint" in row ? row : await backend.get(row.id);
  if (full === undefined) throw runNotFound(row.id, backend.name);
  let batch: StreamEvent[] = [];
  const rows = relive(backend, full, plan, { from, until }, (run) => {
    began(run);
    return new RunObserver([new RunEvents(run, modes, (event) => batch.push(event) > 0)], clock, run);
  });
  for await (const _ of rows) {
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * The first step of a run that has done nothing else yet, done again in a state that nobody drives: what it resolves is
 * a function of plan and input.
 */
export function firstEvents(run: RunState, clock: Clock, modes: ReadonlySet<StreamMode>): StreamEvent[] {
  const events: StreamEvent[] = [];
  const copy = new RunState(run.program, run, run.raise);
  const observer = new RunObserver([new RunEvents(copy, modes, (event) => events.push(event) > 0)], clock, copy);
  copy.probe = observer;
  copy.journaled = run.journaled;
  step(copy, startedEvent(run.root.values[0]));
  observer.flush();
  return events;
}
