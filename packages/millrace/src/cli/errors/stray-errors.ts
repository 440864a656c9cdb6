/** Errors that user code lets go of: nobody awaits them, so no node of the graph can fail by them (H52). */
import { type Cli, errPaint, say } from "../cli.ts";
import { ExitCode } from "../exit.ts";
import type { ProcessEnd } from "../process/process-end.ts";
import { isEngineError, reportOf, showReport, showStack } from "./report.ts";
import { isOwnFault } from "./user-frame.ts";

/**
 * A rejection is told and the run goes on. After an exception, or when the engine itself is what broke, the process
 * cannot be trusted to bring the run to its end, and leaves; the run can be resumed.
 */
export function catchStrayErrors(cli: Cli, end: ProcessEnd): void {
  const giveUp = (error: unknown): void => {
    say(cli, showReport(reportOf(error, cli.cwd), errPaint(cli)) + showStack(error, cli));
    end.leave(ExitCode.failed);
  };
  process.on("uncaughtException", giveUp);
  process.on("unhandledRejection", (error: unknown) => {
    if (isOwnFault(error) && !isEngineError(error)) return giveUp(error);
    const { message, details } = reportOf(error, cli.cwd);
    const warning = `${errPaint(cli)("warning:", "warn")} a promise that nothing awaits was rejected: ${message}`;
    say(cli, [warning, ...details.map((line) => `  ${line}`)].join("\n"));
    say(cli, showStack(error, cli));
  });
}
