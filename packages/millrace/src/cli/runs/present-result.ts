/** What a run came to: its output on stdout, everything about it on stderr. */
import type { ErrorEntry, RunInfo, RunResult } from "@millrace/core";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import { errorLines } from "./error-lines.ts";
import { plain, toJson } from "../format/json.ts";
import { count } from "../format/number.ts";
import { duration } from "../format/time.ts";
import { durationOf, errorDocument, runDocument } from "./run-document.ts";
import type { RunningOptions } from "../commands/run-options.ts";

import { statusTone } from "./status-tone.ts";

/** What is printed of a result: cells are not. */
export type PrintedResult = WithoutCells<RunResult<unknown>>;
type WithoutCells<R> = R extends unknown ? Omit<R, "cells"> : never;

export interface Outcome {
  readonly cli: Cli;
  readonly options: RunningOptions;
  readonly result: PrintedResult;
  /** As the backend has it now. */
  readonly info: RunInfo | undefined;
  readonly runId: string;
  /** The command that continues the run. */
  readonly resume: string;
}

/** More errors than this are told by `show`. */
const shownErrors = 5;

export async function presentResult(outcome: Outcome): Promise<void> {
  const { cli, options, result } = outcome;
  if (options.quiet !== true) say(cli, summary(outcome));
  if (options.quiet !== true || result.status !== "completed") sayErrors(outcome);
  if (result.status === "drained") say(cli, `Resume with:\n  ${outcome.resume}`);
  if (options.json === true) await writeData(cli, toJson(resultDocument(outcome), 2));
  else if (result.status === "completed") await writeData(cli, toJson(result.output, 2));
}

function resultDocument({ result, info, runId, resume }: Outcome): Record<string, unknown> {
  return {
    ...(info === undefined ? { id: runId } : runDocument(info)),
    status: result.status,
    ...(result.status === "completed" && { output: plain(result.output) ?? null }),
    ...(result.status === "cancelled" && { reason: result.reason }),
    ...(result.status === "drained" && { resume }),
    errors: result.errors.map(errorDocument),
  };
}

/** `run 0198… completed after 12.3s: 18,032 finished, 35 failed` */
function summary({ cli, result, info, runId }: Outcome): string {
  const paint = errPaint(cli);
  const took = info === undefined ? "" : ` after ${duration(durationOf(info))}`;
  const reason = result.status === "cancelled" && result.reason !== "" ? ` (${result.reason})` : "";
  return `run ${runId} ${paint(result.status, statusTone(result.status))}${reason}${took}${totals(info)}`;
}

function totals(info: RunInfo | undefined): string {
  if (info === undefined) return "";
  const sum = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((all, one) => all + one, 0);
  const failed = sum(info.failed);
  return `: ${count(sum(info.finished))} finished${failed > 0 ? `, ${count(failed)} failed` : ""}`;
}

/** Everything that failed when the run did; otherwise what the graph does not handle itself. */
function sayErrors({ cli, options, result }: Outcome): void {
  const paint = errPaint(cli);
  const failed = result.status === "failed" || result.status === "cancelled";
  const errors = result.errors.filter((entry) => failed || !entry.handled).toSorted(unhandledFirst);
  const lead = failed ? paint("error:", "bad") : paint("warning:", "warn");
  for (const entry of errors.slice(0, shownErrors)) {
    const [first, ...rest] = errorLines(entry, paint);
    say(cli, [`${lead} ${first}`, ...rest].join("\n"));
  }
  if (errors.length > shownErrors)
    say(
      cli,
      `${lead} ${errors.length - shownErrors} more nodes failed; \`millrace show\` with --db ${options.db} lists them`,
    );
}

function unhandledFirst(a: ErrorEntry, b: ErrorEntry): number {
  return Number(a.handled) - Number(b.handled);
}
