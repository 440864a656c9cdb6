/** The suite, in the order in which it is measured and printed. */
import type { Figure } from "../harness/figure.ts";
import { cellAppend } from "./cell-append.ts";
import { asyncOp, syncOp } from "./chain.ts";
import { durableFull1, durableFull50, durableLoopDelay } from "./durable-full.ts";
import { durableOff } from "./durable-off.ts";
import { fanOut } from "./fan-out.ts";
import { noJournalCost } from "./no-journal.ts";
import { resume } from "./resume.ts";
import { smallRuns } from "./small-runs.ts";
import { streamOfArray, streamOfGenerator } from "./stream.ts";
import { waitingRun } from "./waiting-run.ts";

export const figures: readonly Figure[] = [
  syncOp,
  asyncOp,
  fanOut,
  streamOfArray,
  streamOfGenerator,
  smallRuns,
  waitingRun,
  noJournalCost,
  durableFull1,
  durableFull50,
  durableLoopDelay,
  durableOff,
  resume,
  cellAppend,
];

export function findFigure(name: string): Figure {
  const found = figures.find((figure) => figure.name === name);
  if (found === undefined) throw new Error(`there is no figure ${name}`);
  return found;
}
