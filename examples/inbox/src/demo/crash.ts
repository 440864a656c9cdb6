import { without, type Bodies, type Invocations } from "./bodies.ts";

/** What the crash cost, told by the body logs of the killed process and of the one that resumed. */
export interface Crash {
  /** Started in the killed process, without a result in its journal. */
  readonly inFlight: Invocations;
  /** Those of them whose body had not ended; the others had a result that was on its way to the disk. */
  readonly atWork: Invocations;
  /** Started in both processes. */
  readonly ranAgain: Invocations;
  /** Held as finished by the journal, and started again all the same. Must be none. */
  readonly finishedAndAgain: Invocations;
  /** Started more than once by the resumed process, although nothing in this graph is retried. Must be 0. */
  readonly startedTwice: number;
}

export function crashOf(killed: Bodies, resumed: Bodies): Crash {
  const inFlight = without(killed.started, resumed.journaled);
  return {
    inFlight,
    atWork: without(inFlight, killed.ended),
    ranAgain: both(resumed.started, killed.started),
    finishedAndAgain: both(resumed.started, resumed.journaled),
    startedTwice: resumed.starts - resumed.started.size,
  };
}

function both(some: Invocations, others: Invocations): Invocations {
  return new Map([...some].filter(([path]) => others.has(path)));
}
