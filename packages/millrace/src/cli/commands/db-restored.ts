import type { Command } from "commander";
import { writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly resume?: boolean;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db restored --db runs.db
  $ millrace db restored --resume --db runs.db

Say it once, after a backup was put back and before anything goes on with it. What runs did after the backup was made may be
done already, outside: so each run that has not ended waits, as needs_review, until \`resume\` goes on with it or \`cancel\`
ends it. With --resume engines go on with all of them by themselves. A process from before that still has one of these runs
cannot write to it any more, either way.
${exitCodeHelp}`;

export function addDbRestoredCommand(db: Command, host: CommandHost): void {
  db.command("restored")
    .summary("say that the database is a backup that was put back")
    .description("Takes all runs that have not ended from whoever had them, and holds them for a review.")
    .addOption(dbOption("SQLite file that was put back"))
    .option("--resume", "hold nothing: engines go on with these runs by themselves")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => restored(host, options)));
}

async function restored({ cli, end }: CommandHost, { db, resume = false, json }: Options): Promise<ExitCode> {
  end.doing("the runs were taken from whoever had them");
  const done = await withStore(db, cli.cwd, async ({ backend }) => {
    const { runs, owned } = await backend.fenceAll({ resume, at: Date.now() });
    // This command is one of them.
    const engines = (await backend.stats()).owners - 1;
    return { runs, owned, held: resume ? 0 : runs, engines };
  });
  await writeData(cli, json === true ? toJson(done, 2) : told(db, done));
  return ExitCode.ok;
}

interface Done {
  readonly runs: number;
  readonly owned: number;
  readonly held: number;
  readonly engines: number;
}

function told(db: string, { runs, owned, held, engines }: Done): string {
  const lines = [`${db}: ${plural(runs, "open run")}, ${owned} of them taken from an engine`];
  if (held > 0) lines.push("all of them need a review now: `resume` goes on with one, `cancel` ends it");
  else if (runs > 0) lines.push("the next engine goes on with them");
  if (engines > 0)
    lines.push(`${plural(engines, "other engine")} had this path open: end those from before the restore`);
  return lines.join("\n");
}
