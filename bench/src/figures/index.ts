/** The suite, in the order in which it is measured and printed. */
import type { Figure } from "../harness/figure.ts";
import { cellAppend } from "./cell-append.ts";
import { asyncOp, syncOp } from "./chain.ts";
import { durableFull1, durableFull200, durableFull50, durableLoopDelay } from "./durable-full.ts";
import { diamondSuccessor } from "./diamond.ts";
import { durableOff } from "./durable-off.ts";
import { durablePg1, durablePg200, durablePg50 } from "./durable-pg.ts";
import { fanOut } from "./fan-out.ts";
import { appendLate } from "./append-late.ts";
import { durableAsync, durableAsyncPg } from "./durable-async.ts";
import { asyncLoop } from "./loop.ts";
import { noJournalCost } from "./no-journal.ts";
import { policiesUnset } from "./policies-unset.ts";
import { recover, resume } from "./resume.ts";
import { smallRuns } from "./small-runs.ts";
import { streamOfArray, streamOfGenerator } from "./stream.ts";
import { thread200 } from "./thread.ts";
import { transientStream } from "./transient.ts";
import { tsc1000, tsc200 } from "./tsc.ts";
import { waitingRun } from "./waiting-run.ts";

export const figures: readonly Figure[] = [
  syncOp,
  asyncOp,
  fanOut,
  streamOfArray,
  streamOfGenerator,
  asyncLoop,
  smallRuns,
  waitingRun,
  noJournalCost,
  policiesUnset,
  diamondSuccessor,
  durableFull1,
  durableFull50,
  durableFull200,
  durableAsync,
  durableLoopDelay,
  durableOff,
  appendLate,
  thread200,
  durablePg1,
  durablePg50,
  durablePg200,
  durableAsyncPg,
  resume,
  recover,
  cellAppend,
  transientStream,
  tsc200,
  tsc1000,
];

export function findFigure(name: string): Figure {
  const found = figures.find((figure) => figure.name === name);
  if (found === undefined) throw new Error(`there is no figure ${name}`);
  return found;
}
