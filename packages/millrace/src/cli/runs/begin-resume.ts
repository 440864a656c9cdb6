/** The first step of `resume`: the run goes on, has ended before, or cannot go on for a reason the user can mend. */
import type { Engine, RunInfo } from "@millrace/core";
import { exitCodeOfError } from "../errors/error-exit.ts";
import type { Begun } from "./execute.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError, withoutHint } from "../errors/report.ts";
import { unknownRun } from "./unknown-run.ts";

export interface ResumeRequest {
  readonly engine: Engine;
  readonly runId: string;
  /** Name of the graph that was loaded. */
  readonly graph: string;
  readonly db: string;
  readonly invokedAs: string;
  readonly allowGraphChange: boolean;
}

export async function beginResume(request: ResumeRequest): Promise<Begun> {
  const { engine, runId, allowGraphChange } = request;
  try {
    return { handle: await engine.resume(runId, { allowGraphChange }) };
  } catch (error) {
    const ended = isEngineError(error) && error.code === "RunEnded" ? await engine.get(runId) : undefined;
    if (ended !== undefined && isOver(ended)) return { ended };
    throw await explain(error, request);
  }
}

/** It came to its end before: there is a result to print, as if it had come to it now. */
function isOver({ status }: RunInfo): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

async function explain(error: unknown, { engine, runId, graph, db, invokedAs }: ResumeRequest): Promise<unknown> {
  if (!isEngineError(error)) return error;
  const exit = exitCodeOfError(error.code);
  switch (error.code) {
    case "RunNotFound":
      return unknownRun(engine, runId, db, invokedAs);
    case "UnknownGraph": {
      const declared = (await engine.get(runId))?.graph ?? "another graph";
      return new CliFailure(error.code, `run ${runId} is of the graph ${declared}, not of ${graph}`, {
        exit,
        hint: `name the module that declares ${declared} with --graph`,
      });
    }
    case "FingerprintMismatch":
      return new CliFailure(error.code, withoutHint(error.message), {
        exit,
        hint: "resume it with the code it was started with, or pass --allow-graph-change if finished nodes still mean the same",
      });
    default:
      return error;
  }
}
