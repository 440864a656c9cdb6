/** An answer that is left in the inbox of its run, for whoever has the graph. */
import type { RunInfo } from "@millrace/core";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import type { RunningOptions, WaitOptions } from "../commands/run-options.ts";
import type { Store } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError } from "../errors/report.ts";
import { ExitCode, exitCodeOfStatus } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { isoTime } from "../format/time.ts";
import { answerCommand, resumeCommand } from "../process/invocation.ts";
import type { AnswerTerms } from "./begin-answer.ts";
import { resultOf } from "./info-result.ts";
import { pickQuestion } from "./pick-question.ts";
import { presentResult } from "./present-result.ts";
import { questionDocument } from "./questions.ts";
import { unknownRun } from "./unknown-run.ts";
import { isSettled, waitFor } from "./wait-for.ts";

export interface LeftAnswer extends AnswerTerms {
  readonly cli: Cli;
  readonly store: Store;
  readonly options: RunningOptions & WaitOptions;
}

export async function leaveAnswer(left: LeftAnswer): Promise<ExitCode> {
  const { cli, store, runId, options } = left;
  const info = await infoOf(left);
  const question = pickQuestion(info, left.question);
  await post(left, question.id);
  if (options.quiet !== true) say(cli, await sentence(left, question.node));
  if (options.wait !== true) {
    const { status } = await infoOf(left);
    if (options.json === true)
      await writeData(cli, toJson({ id: runId, status, answered: questionDocument(question) }, 2));
    return ExitCode.ok;
  }
  const what = `what run ${runId} comes to`;
  await waitFor(store, { runId, timeout: options.timeout, what, is: isSettled });
  return present(left, await infoOf(left));
}

async function infoOf({ cli, store: { engine }, runId, options }: LeftAnswer): Promise<RunInfo> {
  const info = await engine.get(runId);
  if (info === undefined) throw await unknownRun(engine, runId, options.db, cli.invokedAs);
  return info;
}

async function post(left: LeftAnswer, id: string): Promise<void> {
  const { store, runId, value, by } = left;
  try {
    await store.engine.answer(runId, id, value, by === undefined ? {} : { by });
  } catch (error) {
    if (!isEngineError(error) || error.code !== "InterruptAnswered") throw error;
    const note = (await store.backend.notes(runId)).find(({ kind, key }) => kind === "answer" && key === id);
    if (note === undefined) throw error;
    throw new CliFailure(
      error.code,
      `this question of run ${runId} was answered by ${note.by ?? "somebody"} at ${isoTime(note.at)}`,
      { exit: ExitCode.refused, hint: "the first answer counts; this one was not recorded" },
    );
  }
}

async function sentence({ cli, store: { backend }, runId }: LeftAnswer, node: string): Promise<string> {
  const row = await backend.get(runId);
  const owner = row?.owner ?? null;
  const driven = owner !== null && (await backend.living([owner])).length > 0;
  const next = driven
    ? "the engine that drives the run takes it up"
    : `an engine that has the graph ${row?.graph ?? "of the run"} goes on with it; with --graph this command does`;
  return `the answer to ${errPaint(cli)(node, "strong")} of run ${runId} is left in its inbox: ${next}`;
}

async function present({ cli, runId, options }: LeftAnswer, info: RunInfo): Promise<ExitCode> {
  const { db } = options;
  const command = { invokedAs: cli.invokedAs, platform: cli.platform, runId, db };
  await presentResult({
    cli,
    options,
    info,
    runId,
    result: resultOf(info),
    resume: resumeCommand({ ...command, graph: "<file#graph>" }),
    answer: (question) => answerCommand(command, question),
  });
  return exitCodeOfStatus(info.status);
}
