/** What a run came to: its output on stdout, everything about it on stderr. */
import type { ErrorEntry, Interrupt, RunInfo, RunResult } from "@millrace/core";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import { errorLines } from "./error-lines.ts";
import { plain, toJson } from "../format/json.ts";
import { count, plural } from "../format/number.ts";
import { indent } from "../format/text.ts";
import { duration } from "../format/time.ts";
import { durationOf, errorDocument, runDocument } from "./run-document.ts";
import type { RunningOptions } from "../commands/run-options.ts";
import { nameOf, questionDocument, questionLines } from "./questions.ts";
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
  /** The command that answers the question of this name. */
  readonly answer: (question: string) => string;
}

/** More errors than this are told by `show`. */
const shownErrors = 5;
/** More questions than this, too. */
const shownQuestions = 10;

export async function presentResult(outcome: Outcome): Promise<void> {
  const { cli, options, result } = outcome;
  if (options.quiet !== true) say(cli, summary(outcome));
  if (options.quiet !== true || result.status !== "completed") sayErrors(outcome);
  sayQuestions(outcome);
  if (result.status === "drained") say(cli, `Resume with:\n  ${outcome.resume}`);
  if (options.json === true) await writeData(cli, toJson(resultDocument(outcome), 2));
  else if (result.status === "completed") await writeData(cli, toJson(result.output, 2));
}

function resultDocument(outcome: Outcome): Record<string, unknown> {
  const { result, info, runId, resume } = outcome;
  return {
    ...(info === undefined ? { id: runId } : runDocument(info)),
    status: result.status,
    ...(result.status === "completed" && { output: plain(result.output) ?? null }),
    ...(result.status === "cancelled" && { reason: result.reason }),
    ...(result.status === "drained" && { resume }),
    errors: result.errors.map(errorDocument),
    ...questionsDocument(outcome),
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

/** Of a run that waits for answers, or was drained while it did; a result knows titles, the backend does not. */
function questionsOf({ result, info }: Outcome): readonly Interrupt[] {
  return result.status === "interrupted" ? result.interrupts : (info?.interrupts ?? []);
}

function questionsDocument(outcome: Outcome): Record<string, unknown> {
  const questions = questionsOf(outcome);
  const document = (question: Interrupt): Record<string, unknown> => ({
    ...questionDocument(question),
    answer: outcome.answer(nameOf(question, questions)),
  });
  return { interrupts: questions.map(document) };
}

/** What is asked and how to answer: also when quiet, or nobody would know why the run does not end. */
function sayQuestions(outcome: Outcome): void {
  const questions = questionsOf(outcome);
  const [first] = questions;
  if (first === undefined) return;
  const { cli, options, answer } = outcome;
  const paint = errPaint(cli);
  say(cli, `${paint("waiting", "warn")} for ${plural(questions.length, "answer")}:`);
  for (const question of questions.slice(0, shownQuestions))
    say(cli, indent(questionLines(question, Date.now(), paint).join("\n"), "  "));
  const more = questions.length - shownQuestions;
  if (more > 0) say(cli, `  … and ${count(more)} more; \`millrace show\` with --db ${options.db} lists them`);
  say(cli, `Answer with:\n  ${answer(nameOf(first, questions))}`);
}

/** Everything that failed when the run did; otherwise what the graph does not handle itself. */
function sayErrors({ cli, options, result }: Outcome): void {
  const paint = errPaint(cli);
  const failed = result.status === "failed" || result.status === "cancelled";
  const errors = result.errors.filter((entry) => failed || !entry.handled).toSorted(unhandledFirst);
  const lead = failed ? paint("error:", "bad") : paint("warning:", "warn");
  for (const entry of errors.slice(0, shownErrors)) {
    const [first, ...rest] = errorLines(entry, paint, cli.cwd);
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
