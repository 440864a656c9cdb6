/** Which of the open questions of a run an answer is for, or why it is for none. */
import type { Interrupt, RunInfo } from "@millrace/core";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode } from "../exit.ts";
import { unpainted } from "../format/style.ts";
import { isoTime } from "../format/time.ts";
import { nearest } from "../nearest.ts";
import { nameOf, questionLines, titled } from "./questions.ts";

/** The open question that `question` names by id, path or node; undefined: the only one there is. */
export function pickQuestion(
  info: RunInfo,
  question: string | undefined,
  titles: ReadonlyMap<string, string> = new Map(),
): Interrupt {
  const { id: runId, status, endedAt } = info;
  if (endedAt !== null)
    throw new CliFailure("RunEnded", `run ${runId} has ended: it is ${status} and asks nothing any more`, {
      exit: ExitCode.refused,
    });
  const interrupts = titled(info.interrupts, titles);
  const matching = interrupts.filter(
    ({ id, node, path }) => question === undefined || [id, node, path].includes(question),
  );
  const [first, ...others] = matching;
  if (first === undefined) throw answeredBefore(info, question) ?? notOpen(runId, question, interrupts);
  if (others.length > 0) throw ambiguous(runId, question, matching);
  return first;
}

/** It had its answer before, and the run has taken that up. */
function answeredBefore({ id: runId, answered }: RunInfo, question: string | undefined): CliFailure | undefined {
  const last = answered.findLast(({ id, node, path }) => question !== undefined && [id, node, path].includes(question));
  if (last === undefined) return undefined;
  const when = last.at === undefined ? "" : ` at ${isoTime(last.at)}`;
  const by = last.by === "" ? "somebody" : last.by === "timeout" ? "its time-out" : last.by;
  return new CliFailure("InterruptAnswered", `${last.node} of run ${runId} was answered before, by ${by}${when}`, {
    exit: ExitCode.refused,
    hint: "the first answer counts; this one was not recorded",
  });
}

function notOpen(runId: string, question: string | undefined, open: readonly Interrupt[]): CliFailure {
  const names = open.map((each) => nameOf(each, open));
  const near = question === undefined ? undefined : nearest(question, names);
  const hint =
    open.length === 0
      ? "it was answered, timed out or withdrawn, or the run has not come to it: resume the run"
      : near === undefined
        ? "name one of these by its id, path or node"
        : `did you mean ${near}?`;
  const what = question === undefined ? "no open question" : `no open question ${JSON.stringify(question)}`;
  return new CliFailure("InterruptNotFound", `run ${runId} has ${what}`, {
    exit: ExitCode.notFound,
    hint,
    details: listed(open),
  });
}

function ambiguous(runId: string, question: string | undefined, matching: readonly Interrupt[]): CliFailure {
  const what = question === undefined ? "" : ` called ${JSON.stringify(question)}`;
  return new CliFailure(
    "AmbiguousInterrupt",
    `run ${runId} has ${matching.length} open questions${what}: say which one is answered`,
    { hint: "name one by its id or path", details: listed(matching) },
  );
}

/** More than these are told by `show`. */
const listedQuestions = 10;

function listed(questions: readonly Interrupt[]): string[] {
  const lines = questions.slice(0, listedQuestions).flatMap((each) => questionLines(each, Date.now(), unpainted));
  const more = questions.length - listedQuestions;
  return more > 0 ? [...lines, `… and ${more} more`] : lines;
}
