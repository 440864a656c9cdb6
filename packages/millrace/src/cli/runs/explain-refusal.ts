/** Why a run cannot go on, as whoever named it on the command line needs it. */
import type { Engine } from "@millrace/core";
import { exitCodeOfError } from "../errors/error-exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError, withoutHint } from "../errors/report.ts";
import { unknownRun } from "./unknown-run.ts";

/** A run as it was named: which one, of which graph, in which database. */
export interface NamedRun {
  readonly engine: Engine;
  readonly runId: string;
  /** Name of the graph that was loaded. */
  readonly graph: string;
  readonly db: string;
  readonly invokedAs: string;
}

/** A live engine drives it: what is to be said to it goes through its inbox. */
export function isElsewhere(error: unknown): boolean {
  return isEngineError(error) && error.code === "RunElsewhere";
}

export function otherGraph(runId: string, declared: string, graph: string): CliFailure {
  return new CliFailure("UnknownGraph", `run ${runId} is of the graph ${declared}, not of ${graph}`, {
    exit: exitCodeOfError("UnknownGraph"),
    hint: `name the module that declares ${declared} with --graph`,
  });
}

/** `graphChange`: what to do about a graph that is not the run's any more. */
export async function explainRefusal(error: unknown, run: NamedRun, graphChange: string): Promise<unknown> {
  if (!isEngineError(error)) return error;
  const { engine, runId, graph, db, invokedAs } = run;
  const exit = exitCodeOfError(error.code);
  switch (error.code) {
    case "RunNotFound":
      return unknownRun(engine, runId, db, invokedAs);
    case "UnknownGraph":
      return otherGraph(runId, (await engine.get(runId))?.graph ?? "another graph", graph);
    case "FingerprintMismatch":
      return new CliFailure(error.code, withoutHint(error.message), { exit, hint: graphChange });
    default:
      return error;
  }
}
