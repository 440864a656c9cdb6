import type { Command } from "commander";
import { writeData } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db migrate --db runs.db

Whatever opens a database brings it to the schema it needs; this command does only that, so that it can be done before a
new version is rolled out. Processes of the version before go on beside it. A database of a newer version is refused.
${exitCodeHelp}`;

export function addDbMigrateCommand(db: Command, host: CommandHost): void {
  db.command("migrate")
    .summary("bring a database to the schema of this version")
    .description("Brings a database to the schema of this version, in one transaction.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => migrate(host, options)));
}

async function migrate({ cli, end }: CommandHost, { db, json }: Options): Promise<ExitCode> {
  end.doing("the database was migrated");
  const { from, to } = await withStore(db, cli.cwd, versions);
  const text =
    from === null
      ? `${db} has schema ${to}`
      : from === to
        ? `${db} has schema ${to} already`
        : `${db} was brought from schema ${from} to ${to}`;
  await writeData(cli, json === true ? toJson({ from, to }, 2) : text);
  return ExitCode.ok;
}

/** What a server had before is not told by it. */
async function versions({ backend, sqlite }: Store): Promise<{ readonly from: number | null; readonly to: number }> {
  if (sqlite === undefined) return { from: null, to: (await backend.stats()).schemaVersion };
  const { foundVersion: from, schemaVersion: to } = sqlite.settings();
  return { from, to };
}
