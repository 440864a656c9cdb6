/** The first step of `answer`: the question is found, its answer is durable, and the run goes on. */
import type { Handle, Interrupt, RunInfo } from "@millrace/core";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { nearest } from "../nearest.ts";
import type { Begun } from "./execute.ts";
import { explainRefusal, type NamedRun } from "./explain-refusal.ts";
import { nameOf, questionLines, titled } from "./questions.ts";
import { unpainted } from "../format/style.ts";
import { unknownRun } from "./unknown-run.ts";

export interface AnswerRequest extends NamedRun {
  /** Id, path or node; undefined: the only open question. */
  readonly question: string | undefined;
  readonly value: unknown;
  readonly by: string | undefined;
  /** Of the graph's questions, by node. */
  readonly titles: ReadonlyMap<string, string>;
}

const graphChange =
  "answer with the code the run was started with, or let `resume --allow-graph-change` take it over first";

export async function beginAnswer(request: AnswerRequest): Promise<Begun> {
  const { engine, runId, db, invokedAs } = request;
  const info = await engine.get(runId);
  if (info === undefined) throw await unknownRun(engine, runId, db, invokedAs);
  const { id } = pick(info, request);
  let handle: Handle<unknown> | undefined;
  try {
    handle = await engine.resume(runId);
    await handle.answer(id, request.value, request.by === undefined ? {} : { by: request.by });
    return { handle };
  } catch (error) {
    if (handle !== undefined) await putAside(handle, info);
    throw await explainRefusal(error, request, graphChange);
  }
}

/** To check the answer the run was taken up. With its question open it comes to rest as it was, or is drained. */
async function putAside(handle: Handle<unknown>, { status }: RunInfo): Promise<void> {
  await (status === "interrupted" ? handle.result() : handle.drain()).catch(() => {});
}

function pick(info: RunInfo, { question, titles }: AnswerRequest): Interrupt {
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
  if (first === undefined) throw notOpen(runId, question, interrupts);
  if (others.length > 0) throw ambiguous(runId, question, matching);
  return first;
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
