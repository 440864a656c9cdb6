import type { Cli } from "../cli.ts";
import type { ExitCode } from "../exit.ts";
import type { ProcessEnd } from "../process/process-end.ts";

/** What a command gets from the program around it. */
export interface CommandHost {
  readonly cli: Cli;
  readonly end: ProcessEnd;
  /** Wraps an action: its exit code becomes the process's, its failure a report. */
  action<Args extends unknown[]>(body: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void>;
}
