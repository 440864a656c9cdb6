/** What a run did before its reader came, or does where another engine drives it, as the events that a live reader is given. */
import { GrowingJournal } from "../../journal/growing-journal.ts";
import type { Plan } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { Clock } from "../../ports/clock.ts";
import { RunObserver } from "../../runtime/observe.ts";
import { startedEvent } from "../../scheduler/event.ts";
import { step } from "../../scheduler/step.ts";
import { RunState } from "../../state/run-state.ts";
import { runNotFound } from "../run-errors.ts";
import type { History } from "./event-reader.ts";
import type { StreamEvent, StreamMode } from "./events.ts";
import { RunEvents } from "./run-events.ts";

/**
 * From the journal, a batch per row; who asks again reads on. `began` is given the state that is read into: the reader's
 * own.
 */
export function journaledEvents(
  backend: Backend,
  row: RunRow,
  plan: Plan,
  clock: Clock,
  modes: ReadonlySet<StreamMode>,
  began: (run: RunState) => void = () => undefined,
): History {
  let batch: StreamEvent[] = [];
  const journal = new GrowingJournal(backend, row, plan, (run) => {
    began(run);
    return new RunObserver([new RunEvents(run, modes, (event) => batch.push(event) > 0)], clock, run);
  });
  return async function* (span) {
    for await (const _ of journal.read(span)) {
      yield batch;
      batch = [];
    }
    yield batch;
    batch = [];
  };
}

/** The same of a run of which only the id is known, each time from its first record. */
export function eventsFromStart(
  backend: Backend,
  runId: string,
  plan: Plan,
  clock: Clock,
  modes: ReadonlySet<StreamMode>,
): History {
  return async function* (span) {
    const row = await backend.get(runId);
    if (row === undefined) throw runNotFound(runId, backend.name);
    yield* journaledEvents(backend, row, plan, clock, modes)(span);
  };
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
