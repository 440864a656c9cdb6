import type { Command } from "commander";
import { say, writeData } from "../cli.ts";
import { confirmDeletion } from "../confirm-deletion.ts";
import { withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import type { CommandHost } from "./host.ts";
import { dbOption } from "./run-options.ts";

interface Options {
  readonly db: string;
  readonly yes?: true;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace thread delete customer-17 --db runs.db
  $ millrace thread delete customer-17 --yes --json --db runs.db

Deletes all runs of the thread, with their journals, notes and labels, and what it carries. A thread with a run that has not ended
is refused: \`millrace cancel\` ends that one first. Blobs that nothing names any more go an hour later, with \`db prune\`.
${exitCodeHelp}`;

export function addThreadDeleteCommand(thread: Command, host: CommandHost): void {
  thread
    .command("delete")
    .summary("delete a thread with all its runs")
    .description("Deletes a thread for good, with all its runs and what it carries.")
    .argument("<thread>", "name of the thread")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--yes", "do not ask")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((thread: string, options: Options) => remove(host, thread, options)));
}

async function remove({ cli, end }: CommandHost, thread: string, options: Options): Promise<ExitCode> {
  end.doing("the thread was deleted");
  const name = JSON.stringify(thread);
  const runs = await withStore(options.db, cli.cwd, async ({ engine }) => {
    const [newest] = await engine.list({ thread, limit: 1 });
    if (newest === undefined && Object.keys(await engine.carried(thread)).length === 0)
      throw new CliFailure("NoSuchThread", `there is no thread ${name} in ${options.db}`, {
        exit: ExitCode.notFound,
        hint: `millrace runs --db ${options.db} lists runs; a thread is named when a run is started in it`,
      });
    if (options.yes !== true) await confirmDeletion(cli, `all runs of thread ${name}`, "--yes deletes without asking");
    return engine.deleteThread(thread);
  });
  if (options.json === true) await writeData(cli, toJson({ thread, runs }, 2));
  else say(cli, `deleted thread ${name} with ${plural(runs, "run")}`);
  return ExitCode.ok;
}
