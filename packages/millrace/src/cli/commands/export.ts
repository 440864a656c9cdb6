import { createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import { type Cli, say } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { withoutHint } from "../errors/report.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { plural } from "../format/number.ts";
import { unknownRun } from "../runs/unknown-run.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly all?: true;
  readonly out?: string;
}

const examples = `
Examples:
  $ millrace export nightly-7 --db runs.db --out nightly-7.jsonl
  $ millrace export --all --db runs.db | gzip > runs.jsonl.gz
  $ millrace export nightly-7 --db runs.db | ssh other 'cat > run.jsonl && millrace import run.jsonl --db runs.db'

One JSON object a line: rows of runs, their journals, notes and blobs, and what their threads carry on, each line with a
checksum. The same runs give the same bytes. Every journal is checked; with --all a damaged one is left out by name, and the
exit code is 1. A run that goes on meanwhile is exported as it stood: drain it first to move it.
${exitCodeHelp}`;

export function addExportCommand(program: Command, host: CommandHost): void {
  program
    .command("export")
    .summary("write runs into a file that import reads")
    .description("Writes runs with all that belongs to them as JSON lines, to a file or to stdout.")
    .argument("[id...]", "ids of the runs")
    .option("--all", "all runs of the database")
    .option("--out <file>", "file to write, which must not exist (default: standard output)")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .addHelpText("after", examples)
    .action(host.action((ids: string[], options: Options) => exportAll(host, ids, options)));
}

async function exportAll({ cli, end }: CommandHost, ids: readonly string[], options: Options): Promise<ExitCode> {
  end.doing("the runs were exported");
  if ((options.all === true) === ids.length > 0)
    throw new CliFailure("MissingOption", ids.length > 0 ? "name runs or say --all, not both" : "no run was named", {
      hint: "name one run or several, or say --all",
    });
  const out = options.out === undefined ? undefined : resolve(cli.cwd, options.out);
  if (out !== undefined && existsSync(out))
    throw new CliFailure("FileExists", `${options.out} exists, and is not written over`, { exit: ExitCode.refused });
  return withStore(options.db, cli.cwd, async (store) => {
    for (const id of ids)
      if ((await store.backend.get(id)) === undefined)
        throw await unknownRun(store.engine, id, options.db, cli.invokedAs);
    const counted = { runs: 0, damaged: 0 };
    const lines = archiveLines(cli, store, ids, counted);
    if (out === undefined) await pipeline(Readable.from(lines), cli.stdout, { end: false });
    else await writeFile(out, lines);
    say(cli, `exported ${plural(counted.runs, "run")}${options.out === undefined ? "" : ` to ${options.out}`}`);
    return counted.damaged > 0 ? ExitCode.failed : ExitCode.ok;
  });
}

async function* archiveLines(
  cli: Cli,
  { backend }: Store,
  ids: readonly string[],
  counted: { runs: number; damaged: number },
): AsyncGenerator<string, void, undefined> {
  const { exportRuns } = await import("@millrace/core");
  const damaged = (runId: string, error: Error): void => {
    counted.damaged += 1;
    say(cli, `warning: run ${runId} is left out: ${withoutHint(error.message)}`);
  };
  for await (const line of exportRuns(backend, ids.length > 0 ? { runs: ids } : { damaged })) {
    if (line.startsWith('{"run":')) counted.runs += 1;
    yield `${line}\n`;
  }
}

/** Under its name only when it is whole. */
async function writeFile(out: string, lines: AsyncIterable<string>): Promise<void> {
  const part = `${out}.part`;
  try {
    await pipeline(Readable.from(lines), createWriteStream(part, { mode: 0o600, flush: true }));
    renameSync(part, out);
  } catch (error) {
    rmSync(part, { force: true });
    throw fileFailure(out, error);
  }
}

function fileFailure(out: string, error: unknown): unknown {
  const { syscall, message } = error as { readonly syscall?: unknown; readonly message: string };
  if (typeof syscall !== "string") return error;
  return new CliFailure("FileUnwritable", `${out} cannot be written: ${message}`, { exit: ExitCode.failed });
}
