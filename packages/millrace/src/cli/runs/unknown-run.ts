import type { Engine } from "@millrace/core";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { nearest } from "../nearest.ts";

/** More ids than this are not looked through for one that is near. */
const searched = 1_000;

export async function unknownRun(engine: Engine, runId: string, db: string, invokedAs: string): Promise<CliFailure> {
  const known = (await engine.list({ limit: searched })).map((row) => row.id);
  const near = nearest(runId, known);
  const listing = `${invokedAs} runs --db ${db} lists what is there`;
  const hint =
    known.length === 0
      ? "the database holds no runs yet"
      : near === undefined
        ? listing
        : `did you mean ${near}? ${listing}`;
  return new CliFailure("RunNotFound", `there is no run ${JSON.stringify(runId)} in ${db}`, {
    exit: ExitCode.notFound,
    hint,
  });
}
