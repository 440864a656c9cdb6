/** The first step of `retry`: a run that has not ended goes on; of one that has, a fork does again what failed. */
import type { Engine, ErrorEntry, RunInfo, RunStatus } from "@millrace/core";
import { errPaint, outPaint, say, writeData } from "../cli.ts";
import { openExisting, withEngine } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError } from "../errors/report.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { list, oneLine } from "../format/text.ts";
import type { AnyGraph } from "../graphs/graph-shape.ts";
import { beginFork, type ForkRequest, previewFork } from "./begin-fork.ts";
import { beginResume } from "./begin-resume.ts";
import type { Begun } from "./execute.ts";
import { otherGraph } from "./explain-refusal.ts";
import { unknownRun } from "./unknown-run.ts";

export interface RetryRequest extends Omit<ForkRequest, "fork" | "before"> {
  /** Also what the graph handled. */
  readonly handled: boolean;
}

/** Nobody takes them up any more, and whoever names them does. */
const heldUp: ReadonlySet<RunStatus> = new Set<RunStatus>(["quarantined", "needs_review"]);

export async function beginRetry(request: RetryRequest, engine: Engine): Promise<Begun> {
  const { cli, runId, graph, db, quiet } = request;
  const info = await infoOf(request, engine);
  if (!heldUp.has(info.status))
    return failing(info, () => forkOf(request, info, engine).then((fork) => beginFork(fork, engine)));
  if (!quiet) say(cli, goesOn(info, errPaint(cli)(runId, "strong")));
  return beginResume({ engine, runId, graph, db, invokedAs: cli.invokedAs, allowGraphChange: false });
}

export async function previewRetry(request: RetryRequest, graph: AnyGraph, json: boolean): Promise<ExitCode> {
  const { cli, db } = request;
  const planned = await withEngine(openExisting(db, cli.cwd, { graphs: [graph] }), async (engine) => {
    const info = await infoOf(request, engine);
    return { info, fork: heldUp.has(info.status) ? undefined : await forkOf(request, info, engine) };
  });
  const { info, fork } = planned;
  if (fork !== undefined) return failing(info, () => previewFork(fork, graph, json));
  await writeData(
    cli,
    json ? toJson({ run: info.id, resumed: true }, 2) : goesOn(info, outPaint(cli)(info.id, "strong")),
  );
  return ExitCode.ok;
}

function goesOn({ status }: RunInfo, name: string): string {
  return `run ${name} is ${status}, and has not ended: it goes on itself`;
}

async function infoOf({ cli, runId, graph, db }: RetryRequest, engine: Engine): Promise<RunInfo> {
  const info = await engine.get(runId);
  if (info === undefined) throw await unknownRun(engine, runId, db, cli.invokedAs);
  if (info.graph !== graph) throw otherGraph(runId, info.graph, graph);
  if (info.endedAt === null && !heldUp.has(info.status)) throw notEnded(info, cli.invokedAs);
  return info;
}

function notEnded({ id, status }: RunInfo, invokedAs: string): CliFailure {
  const hint =
    status === "interrupted"
      ? `it waits for an answer: ${invokedAs} answer; ${invokedAs} fork does something again meanwhile`
      : status === "drained"
        ? `${invokedAs} resume goes on with it`
        : "an engine drives it, or takes it up; resume goes on with one whose process died";
  return new CliFailure("RunNotEnded", `run ${id} has not ended: it is ${status}`, { exit: ExitCode.refused, hint });
}

/** What failed and is not handled, or with `handled` all of it, is done again. */
async function forkOf(request: RetryRequest, info: RunInfo, engine: Engine): Promise<ForkRequest> {
  const { handled, cli, ...terms } = request;
  const handledNodes = new Set(info.errors.filter((entry) => entry.handled).map(({ node }) => node));
  const { failed, inDoubt } = await failuresIn(engine, info.id);
  const rerun = failed.flatMap(({ node, path }) => (handled || !handledNodes.has(node) ? [path] : []));
  if (rerun.length === 0 && inDoubt.length > 0) throw onlyInDoubt(info, inDoubt, cli.invokedAs);
  if (rerun.length === 0 && info.status === "completed") throw nothingFailed(info, handledNodes.size > 0);
  return { ...terms, cli, fork: rerun.length === 0 ? {} : { rerun } };
}

interface Failures {
  readonly failed: { readonly node: string; readonly path: string }[];
  /** Paths of unsafe bodies that may have had their effect: that they had none is for a person to say, who names them. */
  readonly inDoubt: string[];
}

async function failuresIn(engine: Engine, runId: string): Promise<Failures> {
  const found: Failures = { failed: [], inDoubt: [] };
  for await (const { kind, retryAt, node = "", path, error } of engine.history(runId, { blobs: false })) {
    if (kind !== "attemptFailed" || retryAt !== undefined || path === undefined) continue;
    if (error?.code === "UnsafeInFlight") found.inDoubt.push(path);
    else found.failed.push({ node, path });
  }
  return found;
}

function onlyInDoubt({ id }: RunInfo, paths: readonly string[], invokedAs: string): CliFailure {
  return new CliFailure(
    "NothingToRetry",
    `what failed in run ${id} may have had its effect: ${list(paths.slice(0, 3))}`,
    {
      exit: ExitCode.refused,
      hint: `if you know that it had none, ${invokedAs} fork --rerun ${paths[0] ?? ""} does it again`,
    },
  );
}

function nothingFailed({ id }: RunInfo, some: boolean): CliFailure {
  const [what, hint] = some
    ? ["what failed was handled", "--handled does it again all the same"]
    : ["nothing failed", "fork does something again: see --rerun, --set and --before"];
  return new CliFailure("NothingToRetry", `run ${id} completed, and ${what}`, { exit: ExitCode.refused, hint });
}

/** What failed may follow from what was computed, not from what ran. */
async function failing<T>(info: RunInfo, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isNothingToFork(error)) throw error;
    throw new CliFailure("NothingToRetry", `nothing that ran in run ${info.id} failed: ${causes(info.errors)}`, {
      exit: ExitCode.refused,
      hint: "with the same values it fails again: mend the graph, or fork with other ones (--set, --input, --before)",
    });
  }
}

function isNothingToFork(error: unknown): boolean {
  return (error instanceof CliFailure || isEngineError(error)) && error.code === "NothingToFork";
}

function causes(errors: readonly ErrorEntry[]): string {
  return list(errors.slice(0, 3).map(({ node, code, message }) => `${node} ended in ${code} (${oneLine(message)})`));
}
