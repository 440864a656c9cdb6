/** Exit codes of the command line. They are a contract with scripts and CI: a number never changes its meaning. */
import type { RunStatus } from "@millrace/core";

export const ExitCode = {
  ok: 0,
  /** The run failed or was cancelled, or the user's code could not be loaded. */
  failed: 1,
  /** The command line or the input is wrong. */
  usage: 2,
  /** A file, graph, database or run that was named does not exist. */
  notFound: 3,
  /** The run waits for an answer from outside. */
  waiting: 4,
  /** Changed graph, lost lease, database locked, read-only or written by a newer version, run id taken. */
  refused: 5,
  /** The run stopped cleanly and waits for `resume`. */
  drained: 6,
  timeout: 124,
  /** A second Ctrl-C. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** The table as `--help` prints it. */
export const exitCodeHelp =
  "Exit codes: 0 ok, 1 failed, 2 usage, 3 not found, 4 waiting for input, 5 refused, 6 drained, 124 timeout, 130 interrupted.";

const byStatus: Readonly<Record<RunStatus, ExitCode>> = {
  completed: ExitCode.ok,
  queued: ExitCode.ok,
  running: ExitCode.ok,
  failed: ExitCode.failed,
  cancelled: ExitCode.failed,
  discarded: ExitCode.failed,
  quarantined: ExitCode.failed,
  interrupted: ExitCode.waiting,
  needs_review: ExitCode.waiting,
  drained: ExitCode.drained,
};

/** How `run` and `resume` exit when the run came to rest in this status. */
export function exitCodeOfStatus(status: RunStatus): ExitCode {
  return byStatus[status];
}
