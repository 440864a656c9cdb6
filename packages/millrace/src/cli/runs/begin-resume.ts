/** The first step of `resume`: the run goes on, has ended before, or cannot go on for a reason the user can mend. */
import type { RunInfo } from "@millrace/core";
import type { Begun } from "./execute.ts";
import { explainRefusal, otherGraph, type NamedRun } from "./explain-refusal.ts";
import { isEngineError } from "../errors/report.ts";

export interface ResumeRequest extends NamedRun {
  readonly allowGraphChange: boolean;
}

const graphChange =
  "resume it with the code it was started with, or pass --allow-graph-change if finished nodes still mean the same";

export async function beginResume(request: ResumeRequest): Promise<Begun> {
  const { engine, runId, allowGraphChange } = request;
  try {
    return { handle: await engine.resume(runId, { allowGraphChange }) };
  } catch (error) {
    const ended = isEngineError(error) && error.code === "RunEnded" ? await engine.get(runId) : undefined;
    if (ended !== undefined && ended.graph !== request.graph) throw otherGraph(runId, ended.graph, request.graph);
    if (ended !== undefined && isOver(ended)) return { ended };
    throw await explainRefusal(error, request, graphChange);
  }
}

/** It came to its end before: there is a result to print, as if it had come to it now. */
function isOver({ status }: RunInfo): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
