import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type Cli, say, writeData } from "../cli.ts";
import { withStoreToBe } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import { readLines } from "../input/read-lines.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace import nightly-7.jsonl --db runs.db
  $ gunzip -c runs.jsonl.gz > runs.jsonl && millrace import runs.jsonl --db copy.db

The whole file is checked before anything is written; a damaged one is refused, and its line is named. Nothing that stands
is written over: a run that is there already, as it was or further on, is left as it is; another one with its id refuses the
file. A run that had not ended goes on where an engine has its graph: do not import what still goes on elsewhere.
${exitCodeHelp}`;

export function addImportCommand(program: Command, host: CommandHost): void {
  program
    .command("import")
    .summary("put exported runs into a database")
    .description("Puts the runs of an exported file into a database.")
    .argument("<file>", "file that export wrote")
    .addOption(dbOption("SQLite file to put the runs into; created when missing"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((file: string, options: Options) => importAll(host, file, options)));
}

async function importAll({ cli, end }: CommandHost, file: string, { db, json }: Options): Promise<ExitCode> {
  end.doing("the runs were imported");
  const path = archivePath(file, cli);
  const { importRuns } = await import("@millrace/core");
  return withStoreToBe(db, cli.cwd, async ({ backend }) => {
    const { imported, present } = await importRuns(backend, () => readLines(path));
    const there = present.length === 0 ? "" : `; ${plural(present.length, "was there", "were there")} already`;
    if (json === true) await writeData(cli, toJson({ imported, present }, 2));
    else say(cli, `imported ${plural(imported.length, "run")}${there}`);
    return ExitCode.ok;
  });
}

function archivePath(file: string, { cwd }: Cli): string {
  const path = resolve(cwd, file);
  if (existsSync(path) && statSync(path).isFile()) return path;
  throw new CliFailure("FileNotFound", `there is no file ${file}`, { exit: ExitCode.notFound });
}
