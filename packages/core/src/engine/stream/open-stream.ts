/** Readings of runs that are driven here. */
import type { Backend } from "../../ports/backend.ts";
import { follow } from "../../runtime/observe.ts";
import type { Runner } from "../../runtime/runner.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import { cellsOf } from "../result.ts";
import { EventReader, type History } from "./event-reader.ts";
import type { StreamEvent, StreamMode, StreamOptions } from "./events.ts";
import { FollowedEvents, type FollowedRun } from "./followed.ts";
import { Following, type Readings } from "./following.ts";
import { Iteration } from "./iteration.ts";
import { checkModes, checkStreamOptions } from "./modes.ts";
import { eventsFromStart, firstEvents } from "./past.ts";
import { RunEvents } from "./run-events.ts";

/** A run of this engine, as its readers need it. */
export interface LiveSource {
  readonly runId: string;
  readonly runner: Runner;
  readonly backend: Backend | null;
  /** Calls back with what the run came to: when it ends, drains or is lost, at once if it has. Returns what undoes it. */
  onOutcome(callback: (outcome: Outcome | Error) => void): () => void;
  cancel(reason: string): Promise<unknown>;
  /** The run that goes on in this one's place, after it was put aside. */
  readonly successor: LiveSource | null;
  /** The same, by another engine; null: it has not gone on. */
  elsewhere(): Promise<FollowedRun | null>;
}

export function streamOfLive(
  run: LiveSource,
  modes: StreamMode | readonly StreamMode[],
  options: StreamOptions,
): Iteration<StreamEvent> {
  const wanted = checkModes(modes);
  checkStreamOptions(options);
  return new Iteration((wake) => new Following(readingsOf(run, wanted, options, wake)), options.signal);
}

function readingsOf(
  run: LiveSource,
  modes: ReadonlySet<StreamMode>,
  options: StreamOptions,
  wake: () => void,
): Readings {
  return {
    open: () => readLive(run, modes, options, wake),
    next: (after) => {
      const further = { ...options, after };
      if (run.successor !== null) return readingsOf(run.successor, modes, further, wake);
      if (run.backend === null) return null;
      return run.elsewhere().then((there) => (there === null ? null : followingsOf(there, modes, further, wake)));
    },
  };
}

/** Who follows a run needs no successor: what its row says is where it goes on. */
function followingsOf(
  run: FollowedRun,
  modes: ReadonlySet<StreamMode>,
  options: StreamOptions,
  wake: () => void,
): Readings {
  return { open: () => new FollowedEvents(run, modes, options, wake), next: () => null };
}

function readLive(
  run: LiveSource,
  modes: ReadonlySet<StreamMode>,
  options: StreamOptions,
  wake: () => void,
): EventReader {
  const { runner, backend, runId } = run;
  const { state, host } = runner;
  const { plan } = state.program;
  const seen = {
    runId,
    get seq() {
      return state.seq;
    },
    get durable() {
      return runner.recorder === null ? Infinity : runner.recorder.durable;
    },
    cells: () => cellsOf(state),
    tags: state.tags,
  };
  const history: History | null = backend === null ? null : eventsFromStart(backend, runId, plan, host.clock, modes);
  const reader: EventReader = new EventReader(seen, modes, options, history, (left) => {
    stop();
    forget();
    if (left && options.cancelOnBreak === true && !reader.ended) run.cancel("its reader left").catch(() => undefined);
  });
  const push = (event: StreamEvent): boolean => {
    const hadRoom = reader.push(event);
    wake();
    return hadRoom;
  };
  const events = new RunEvents(state, modes, push, wake);
  begin(run, modes, events, push);
  const stop = follow(runner, host.clock, events);
  const forget = run.onOutcome((outcome) => {
    reader.end(outcome);
    wake();
  });
  return reader;
}

/** With a backend the past comes from the journal. Without one, what the run began with; and later, what is there. */
function begin(
  { backend, runner }: LiveSource,
  modes: ReadonlySet<StreamMode>,
  events: RunEvents,
  push: (event: StreamEvent) => boolean,
): void {
  const { state, host } = runner;
  if (backend !== null) events.pass();
  else if (state.seq > 1) events.stepped(state.seq);
  else {
    for (const event of firstEvents(state, host.clock, modes)) push(event);
    events.pass();
  }
}
