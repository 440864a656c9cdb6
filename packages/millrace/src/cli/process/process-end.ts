/**
 * The process must not end as a success before the command did (H82): user code may call `process.exit(0)`, or a
 * module's top-level `await` may never settle and leave nothing to wait for.
 */
import { ExitCode } from "../exit.ts";

export interface ProcessEnd {
  /** What is under way, for the message. */
  doing(what: string): void;
  /** Ends the process with this code; nothing after it runs. */
  leave(code: ExitCode): never;
}

export function guardProcessEnd(write: (text: string) => unknown): ProcessEnd {
  let what = "the command finished";
  let leaving = false;
  process.on("exit", (code) => {
    if (leaving) return;
    if (code === 0 || code === 13) process.exitCode = ExitCode.failed;
    write(
      `error: the process ended before ${what}\n  hint: an op or module called process.exit, or awaits a promise that never settles\n`,
    );
  });
  return {
    doing(next) {
      what = next;
    },
    leave(code) {
      leaving = true;
      process.exit(code);
    },
  };
}
