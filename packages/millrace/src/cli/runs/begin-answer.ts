/** The first step of `answer`: the question is found, its answer is durable, and the run goes on. */
import type { Handle, RunInfo } from "@millrace/core";
import type { Begun } from "./execute.ts";
import { explainRefusal, type NamedRun } from "./explain-refusal.ts";
import { pickQuestion } from "./pick-question.ts";
import { unknownRun } from "./unknown-run.ts";

export interface AnswerTerms {
  readonly runId: string;
  /** Id, path or node; undefined: the only open question. */
  readonly question: string | undefined;
  readonly value: unknown;
  readonly by: string | undefined;
}

export interface AnswerRequest extends NamedRun, AnswerTerms {
  /** Of the graph's questions, by node. */
  readonly titles: ReadonlyMap<string, string>;
}

const graphChange =
  "answer with the code the run was started with, or let `resume --allow-graph-change` take it over first";

export async function beginAnswer(request: AnswerRequest): Promise<Begun> {
  const { engine, runId, db, invokedAs } = request;
  const info = await engine.get(runId);
  if (info === undefined) throw await unknownRun(engine, runId, db, invokedAs);
  const { id } = pickQuestion(info, request.question, request.titles);
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
