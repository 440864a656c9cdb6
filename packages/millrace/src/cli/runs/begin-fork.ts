/** The first step of `fork`: what it comes to is told, and then it is made. */
import type { Engine, ForkOptions, ForkPreview } from "@millrace/core";
import { type Cli, errPaint, outPaint, say, writeData } from "../cli.ts";
import { openExisting, withEngine } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError, withoutHint } from "../errors/report.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import type { AnyGraph } from "../graphs/graph-shape.ts";
import type { Begun } from "./execute.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { forkDocument, forkReport } from "./fork-report.ts";
import { isOf, noSuchNode } from "./select-records.ts";

export interface ForkRequest {
  readonly cli: Cli;
  /** The run that is forked. */
  readonly runId: string;
  /** Name of the graph that was loaded. */
  readonly graph: string;
  readonly db: string;
  readonly quiet: boolean;
  /** Keep what is before this node's first record. */
  readonly before?: string | undefined;
  readonly fork: Pick<ForkOptions, "at" | "patch" | "rerun">;
  /** Of the new run. */
  readonly marks: Pick<ForkOptions, "id" | "labels" | "traceId">;
}

export const forkGraphChange = "fork it with the code it was started with";

export async function beginFork(request: ForkRequest, engine: Engine): Promise<Begun> {
  const { cli, runId, quiet, marks } = request;
  return explained(request, engine, async () => {
    const { preview, fork } = await foreseen(request, engine);
    if (!quiet) say(cli, forkReport(preview, fork, errPaint(cli)).join("\n"));
    // As it was told, also when the run went on meanwhile.
    const handle = await engine.fork(runId, { ...fork, ...marks, at: preview.seq });
    if (!quiet) say(cli, `forked as run ${errPaint(cli)(handle.runId, "strong")}`);
    return { handle };
  });
}

/** `--dry-run`: it is told, as data, and that is all. */
export async function previewFork(request: ForkRequest, graph: AnyGraph, json: boolean): Promise<ExitCode> {
  const { cli, db } = request;
  return withEngine(openExisting(db, cli.cwd, { graphs: [graph] }), (engine) =>
    explained(request, engine, async () => {
      const { preview, fork } = await foreseen(request, engine);
      const text = json ? toJson(forkDocument(preview, fork), 2) : forkReport(preview, fork, outPaint(cli)).join("\n");
      await writeData(cli, text);
      return ExitCode.ok;
    }),
  );
}

async function explained<T>({ runId, graph, db, cli }: ForkRequest, engine: Engine, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (isEngineError(error) && error.code === "NothingToFork") throw nothingToFork(error);
    throw await explainRefusal(error, { engine, runId, graph, db, invokedAs: cli.invokedAs }, forkGraphChange);
  }
}

function nothingToFork(error: Error & { readonly code: string }): CliFailure {
  return new CliFailure(error.code, withoutHint(error.message), {
    exit: ExitCode.refused,
    hint: "name what is different (--set, --input) or to be done again (--rerun), or an earlier place (--at, --before)",
  });
}

interface Foreseen {
  readonly preview: ForkPreview;
  readonly fork: ForkRequest["fork"];
}

async function foreseen({ runId, before, fork: given }: ForkRequest, engine: Engine): Promise<Foreseen> {
  const fork = before === undefined ? given : { ...given, at: await placeBefore(engine, runId, before) };
  return { preview: await engine.previewFork(runId, fork), fork };
}

/** The record before the event of which the first record of the node is. */
async function placeBefore(engine: Engine, runId: string, node: string): Promise<number> {
  const names = new Set<string>();
  for await (const entry of engine.history(runId, { blobs: false })) {
    if (entry.node === undefined) continue;
    names.add(entry.node);
    if (isOf(entry, node)) return entry.batch - 1;
  }
  throw noSuchNode(runId, node, [...names]);
}
