/** Options that `run` and `resume` share. */
import { type Command, Option } from "commander";

export interface RunningOptions {
  readonly db: string;
  readonly durability?: "sync" | "async";
  readonly json?: true;
  readonly quiet?: true;
}

export function dbOption(description: string): Option {
  return new Option("--db <file>", description).env("MILLRACE_DB").makeOptionMandatory();
}

export function addRunningOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--durability <mode>",
        "sync: every step is on disk before the next (default); async: pure ops run ahead",
      ).choices(["sync", "async"]),
    )
    .option("--json", "print one JSON document about the run instead of its output")
    .option("--quiet", "no progress and no summary on stderr; errors only");
}
