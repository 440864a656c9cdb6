/** Options that commands which run something share. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Labels } from "@millrace/core";
import type { TracingOptions } from "../trace/tracing.ts";
import { nameDatabase } from "../servers/address.ts";
import { durationOption } from "./filter-options.ts";

export interface RunningOptions extends TracingOptions {
  readonly db: string;
  readonly durability?: "sync" | "async" | "exit";
  readonly json?: true;
  readonly quiet?: true;
}

/** A file or an address, which is known from here on without its secrets. */
export function dbOption(description: string, mandatory = true): Option {
  return new Option("--db <file>", `${description}, or the address of a PostgreSQL or MySQL database`)
    .env("MILLRACE_DB")
    .argParser(nameDatabase)
    .makeOptionMandatory(mandatory);
}

/** Of commands that leave a note for whoever drives the run. */
export interface WaitOptions {
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

export function addWaitOptions(command: Command, description: string): Command {
  return command
    .option("--wait", description)
    .addOption(durationOption("--timeout <duration>", "with --wait: give up after 30s, 5m or 2h, with exit code 124"));
}

/** Repeatable: `--label user=ann --label session=7`. */
export function labelOption(description: string): Option {
  return new Option("--label <key=value>", description).argParser(parseLabel);
}

function parseLabel(text: string, before: Labels | undefined): Labels {
  const cut = text.indexOf("=");
  if (cut < 1) throw new InvalidArgumentError(`${JSON.stringify(text)} is not key=value.`);
  const key = text.slice(0, cut);
  if (before !== undefined && Object.hasOwn(before, key))
    throw new InvalidArgumentError(`there is one ${JSON.stringify(key)} already.`);
  return Object.fromEntries([...Object.entries(before ?? {}), [key, text.slice(cut + 1)]]);
}

export function dryRunOption(): Option {
  return new Option("--dry-run", "only print what would be kept and what would run again");
}

/** Repeatable; each time one. */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text, before: readonly string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);
}

export function addRunningOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--durability <mode>",
        "sync: every step is on disk before the next (default); async: pure ops run ahead; exit: written when the run ends or rests",
      ).choices(["sync", "async", "exit"]),
    )
    .option("--no-trace", "keep no trace of the run in the project's .millrace folder")
    .option("--trace-exclude <part...>", "parts of values that the trace leaves out: node.input.field, *.output.token")
    .option("--json", "print one JSON document about the run instead of its output")
    .option("--quiet", "no progress and no summary on stderr; errors only");
}
