import type { Compacted } from "@millrace/core";
import type { Command } from "commander";
import { type Cli, writeData } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import { tally } from "../progress/tally.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly graph?: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db compact 0199f1c2 --db runs.db
  $ millrace db compact --graph inbox --db runs.db && millrace db vacuum --db runs.db

Removes the records before the last snapshot of each run, for good: what a run goes on with, its result and its counts stay, its
history, forks, states and streams begin at that snapshot. Without runs, all those that have one and that nobody drives.
A named run that cannot be compacted is an error; others are passed over.
${exitCodeHelp}`;

export function addDbCompactCommand(db: Command, host: CommandHost): void {
  db.command("compact")
    .summary("remove the records before the last snapshot of runs")
    .description("Removes what runs did before their last snapshot from their journals.")
    .argument("[runs...]", "ids of runs; default: all")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--graph <name>", "only runs of this graph")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((runs: string[], options: Options) => compact(host, runs, options)));
}

async function compact({ cli, end }: CommandHost, ids: readonly string[], options: Options): Promise<ExitCode> {
  end.doing("the runs were compacted");
  return withStore(options.db, cli.cwd, async (store) => {
    const runs = ids.length > 0 ? await named(store, ids) : await all(cli, store, options);
    const records = runs.reduce((sum, run) => sum + run.records, 0);
    const text = `removed ${plural(records, "record")} of ${plural(runs.length, "run")}`;
    await writeData(cli, options.json === true ? toJson({ runs, records }, 2) : text);
    return ExitCode.ok;
  });
}

async function named({ engine }: Store, ids: readonly string[]): Promise<Compacted[]> {
  const done: Compacted[] = [];
  for (const id of ids) done.push(await engine.compact(id));
  return done;
}

async function all(cli: Cli, { backend, engine }: Store, { graph }: Options): Promise<Compacted[]> {
  const { allRuns, MillraceError } = await import("@millrace/core");
  const progress = tally(cli, (runs) => `${plural(runs, "run")} looked at …`);
  const done: Compacted[] = [];
  let seen = 0;
  for await (const { id, snapshotSeq } of allRuns(backend, graph === undefined ? {} : { graph })) {
    progress(++seen);
    if (snapshotSeq === undefined) continue;
    try {
      const compacted = await engine.compact(id);
      if (compacted.records > 0) done.push(compacted);
    } catch (error) {
      if (!(error instanceof MillraceError) || error.code !== "NotCompactable") throw error;
    }
  }
  return done;
}
