import type { TraceOptions } from "@millrace/core";
import type { Cli } from "../cli.ts";

export interface TracingOptions {
  /** False with `--no-trace`. */
  readonly trace: boolean;
  readonly traceExclude?: readonly string[];
}

/** Runs of the command line are traced into the project, unless they are not to be. */
export async function tracesOf(
  cli: Cli,
  { trace, traceExclude = [] }: TracingOptions,
): Promise<TraceOptions | undefined> {
  if (!trace) return undefined;
  // Loaded when it is needed, like the engine.
  const { projectTraces } = await import("@millrace/core/node");
  return { sinks: [projectTraces({ from: cli.cwd })], exclude: traceExclude };
}
