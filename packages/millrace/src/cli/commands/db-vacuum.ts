import type { Command } from "commander";
import { writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { bytes } from "../format/bytes.ts";
import { toJson } from "../format/json.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db vacuum --db runs.db

Writes the file anew without what was deleted. It needs as much free space again, and whoever writes waits meanwhile: with
large files, do it when little goes on.
${exitCodeHelp}`;

export function addDbVacuumCommand(db: Command, host: CommandHost): void {
  db.command("vacuum")
    .summary("give the room of what was deleted back to the disk")
    .description("Makes the file as small as what is in it.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => vacuum(host, options)));
}

async function vacuum({ cli, end }: CommandHost, { db, json }: Options): Promise<ExitCode> {
  end.doing("the file was written");
  const { before, after } = await withStore(db, cli.cwd, async ({ sqlite }) => {
    if (sqlite !== undefined) return sqlite.vacuum();
    throw new CliFailure("NotAFile", `${db} is no file: servers use the room of what was deleted again by themselves`, {
      hint: "VACUUM FULL of PostgreSQL and OPTIMIZE TABLE of MySQL give it back to the disk",
    });
  });
  await writeData(
    cli,
    json === true ? toJson({ before, after }, 2) : `${db}: ${bytes(before)} before, ${bytes(after)} now`,
  );
  return ExitCode.ok;
}
