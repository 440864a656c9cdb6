/** A run from its first to its last moment in this process: what `run`, `resume` and `answer` have in common. */
import type { Engine, EngineOptions, Handle, RunInfo, RunResult } from "@millrace/core";
import type { Cli } from "../cli.ts";
import { say } from "../cli.ts";
import { type ExitCode, ExitCode as Exit, exitCodeOfStatus } from "../exit.ts";
import { slowNodes } from "../graphs/graph-shape.ts";
import { answerCommand, resumeCommand, type RunCommand } from "../process/invocation.ts";
import { keepAlive } from "../process/keep-alive.ts";
import type { LoadedGraph } from "../graphs/load-graph.ts";
import { ProgressModel } from "../progress/model.ts";
import { startProgress } from "../progress/start.ts";
import { type ProgressView, silentView } from "../progress/view.ts";
import type { ProcessEnd } from "../process/process-end.ts";
import { isElsewhere } from "./explain-refusal.ts";
import { resultOf } from "./info-result.ts";
import { presentResult, type PrintedResult } from "./present-result.ts";
import { tracesOf } from "../trace/tracing.ts";
import { statusTone } from "./status-tone.ts";
import type { RunningOptions } from "../commands/run-options.ts";
import { onStopSignals, type StopSignals } from "../process/stop-signals.ts";

/** A run that goes on from here, or one that had ended before. */
export type Begun = { readonly handle: Handle<unknown> } | { readonly ended: RunInfo };

export interface Execution {
  readonly cli: Cli;
  readonly end: ProcessEnd;
  readonly loaded: LoadedGraph;
  readonly options: RunningOptions;
  readonly open: (options: EngineOptions) => Promise<Engine>;
  readonly begin: (engine: Engine) => Promise<Begun>;
}

export async function execute(execution: Execution): Promise<ExitCode> {
  const { cli, end, loaded, options } = execution;
  end.doing("the run did");
  const letGo = keepAlive();
  const model = new ProgressModel(() => performance.now(), loaded.graph.name, slowNodes(loaded.graph));
  const stage: Stage = { view: silentView, runId: undefined };
  const signals = stopSignals(execution, stage);
  let engine: Engine | undefined;
  try {
    engine = await execution.open(await engineOptions(execution, model));
    const begun = await execution.begin(engine);
    if ("ended" in begun) return await presentEnded(execution, begun.ended);
    const { handle } = begun;
    stage.runId = handle.runId;
    stage.view = startProgress(model, cli, options.quiet === true);
    stage.view.begun(handle.runId, loaded.graph.name);
    const { result, info } = await comeTo(engine, handle, signals);
    stage.view.stop({ text: result.status, tone: statusTone(result.status) });
    return await present(execution, handle.runId, result, info);
  } finally {
    stage.view.stop();
    await engine?.close();
    signals.release();
    letGo();
  }
}

interface CameTo {
  readonly result: RunResult<unknown>;
  readonly info: RunInfo | undefined;
}

/**
 * An answer may come while the run is being put aside, too late to hold that up: then it is queued and not waiting, and
 * this process, which has it in hand, goes on with it.
 */
async function comeTo(engine: Engine, first: Handle<unknown>, signals: StopSignals): Promise<CameTo> {
  for (let handle = first; ;) {
    signals.watch(handle);
    const result = await handle.result();
    const info = await engine.get(handle.runId);
    if (result.status !== "interrupted" || info?.status !== "queued") return { result, info };
    try {
      handle = await engine.resume(handle.runId);
    } catch (error) {
      if (!isElsewhere(error)) throw error;
      return { result, info };
    }
  }
}

/** What a signal finds: the view that holds the terminal, and the run as soon as it is durable. */
interface Stage {
  view: ProgressView;
  runId: string | undefined;
}

async function engineOptions({ cli, loaded, options }: Execution, model: ProgressModel): Promise<EngineOptions> {
  const traces = await tracesOf(cli, options);
  return {
    graphs: [loaded.graph],
    observer: model.observer,
    // A reference to a secret names a variable of the environment.
    secrets: (name) => process.env[name],
    // Failures are told with the result.
    warn: () => {},
    ...(traces !== undefined && { traces }),
    ...(options.durability !== undefined && { durability: options.durability }),
  };
}

async function presentEnded(execution: Execution, info: RunInfo): Promise<ExitCode> {
  if (execution.options.quiet !== true) say(execution.cli, `run ${info.id} has ended before; this is what it came to`);
  return present(execution, info.id, resultOf(info), info);
}

async function present(
  execution: Execution,
  runId: string,
  result: PrintedResult,
  info: RunInfo | undefined,
): Promise<ExitCode> {
  const { cli, options } = execution;
  const command = commandOf(execution, runId);
  await presentResult({
    cli,
    options,
    result,
    info,
    runId,
    resume: resumeCommand(command),
    answer: (question) => answerCommand(command, question),
  });
  return exitCodeOfStatus(result.status);
}

function stopSignals({ cli, end, ...execution }: Execution, stage: Stage): StopSignals {
  return onStopSignals(process, {
    draining: () =>
      stage.view.phase({ text: "draining: what is in flight finishes, Ctrl-C again stops at once", tone: "warn" }),
    stopNow() {
      stage.view.stop();
      const next =
        stage.runId === undefined
          ? ""
          : `; what had finished is kept. Resume with:\n  ${resumeCommand(commandOf({ cli, ...execution }, stage.runId))}`;
      say(cli, `stopped at once${next}`);
      end.leave(Exit.interrupted);
    },
  });
}

function commandOf({ cli, loaded, options }: Pick<Execution, "cli" | "loaded" | "options">, runId: string): RunCommand {
  const { invokedAs, platform } = cli;
  const { db, durability } = options;
  return { invokedAs, platform, runId, db, durability, graph: loaded.reference.text };
}
