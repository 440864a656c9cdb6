import type { RunStatus } from "@millrace/core";
import type { Command } from "commander";
import { type Cli, writeData } from "../cli.ts";
import { confirmDeletion } from "../confirm-deletion.ts";
import { type Store, withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count, plural } from "../format/number.ts";
import { isoTime } from "../format/time.ts";
import { tally } from "../progress/tally.ts";
import { durationOption, ended, statusOption } from "./filter-options.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly olderThan: number;
  readonly status?: readonly RunStatus[];
  readonly graph?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db prune --older-than 30d --dry-run --db runs.db
  $ millrace db prune --older-than 30d --status completed --yes --db runs.db
  $ millrace db prune --older-than 12h --graph inbox --yes --db runs.db && millrace db vacuum --db runs.db

Deletes runs that ended longer ago than that, with their journals, notes and labels, and blobs that no run names any more.
Runs that have not ended are never deleted; what threads carry on stays. Entries of the store are deleted that have expired,
and no others. The room is used again; \`db vacuum\` gives it back
to the disk.
${exitCodeHelp}`;

export function addDbPruneCommand(db: Command, host: CommandHost): void {
  db.command("prune")
    .summary("delete runs that ended long ago")
    .description("Deletes runs that ended long ago, with all that belongs to them alone.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .addOption(durationOption("--older-than <duration>", "since they ended: 12h, 30d").makeOptionMandatory())
    .addOption(statusOption(ended))
    .option("--graph <name>", "only runs of this graph")
    .option("--dry-run", "count them, and delete nothing")
    .option("--yes", "do not ask")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => prune(host, options)));
}

/** In one transaction: others write between two of them. */
const portion = 200;
/** A blob may be on its way to the row that names it. */
const youngBlobMs = 3_600_000;

async function prune({ cli, end }: CommandHost, options: Options): Promise<ExitCode> {
  end.doing("the runs were deleted");
  const before = Date.now() - options.olderThan;
  return withStore(options.db, cli.cwd, async (store) => {
    const runs = await countOf(store, options, before);
    const what = `${plural(runs, "run")} that ended before ${isoTime(before)}`;
    if (options.dryRun === true)
      return told(cli, options, `${what} would be deleted`, { dryRun: true, runs, blobs: 0, entries: 0 });
    if (runs > 0 && options.yes !== true)
      await confirmDeletion(cli, what, "--yes deletes without asking, --dry-run only counts");
    const pruned = await deleteAll(cli, store, options, before);
    const entries = await deleteExpired(store);
    const text = `deleted ${plural(pruned.runs, "run")} that ended before ${isoTime(before)}, and ${plural(pruned.blobs, "blob")}`;
    const expired = entries === 0 ? "" : `, and of the store ${count(entries)} that had expired`;
    return told(cli, options, text + expired, { dryRun: false, ...pruned, entries });
  });
}

async function countOf({ backend }: Store, { status = ended, graph }: Options, before: number): Promise<number> {
  const { allRuns } = await import("@millrace/core");
  let runs = 0;
  for await (const { endedAt } of allRuns(backend, { status, ...(graph !== undefined && { graph }) }))
    if (endedAt !== null && endedAt < before) runs += 1;
  return runs;
}

async function deleteAll(
  cli: Cli,
  { backend }: Store,
  { status, graph }: Options,
  endedBefore: number,
): Promise<{ runs: number; blobs: number }> {
  const total = { runs: 0, blobs: 0 };
  const progress = tally(cli, (runs) => `${plural(runs, "run")} deleted …`);
  for (;;) {
    const pruned = await backend.prune({
      endedBefore,
      limit: portion,
      blobsBefore: Date.now() - youngBlobMs,
      ...(status !== undefined && { statuses: status }),
      ...(graph !== undefined && { graph }),
    });
    total.runs += pruned.runs;
    total.blobs += pruned.blobs;
    progress(total.runs);
    if (pruned.runs < portion) return total;
  }
}

/** They are invisible as it is: nobody is asked about them. */
async function deleteExpired({ backend }: Store): Promise<number> {
  let entries = 0;
  for (let deleted = portion; deleted === portion; entries += deleted)
    deleted = (await backend.store?.expire(portion)) ?? 0;
  return entries;
}

async function told(cli: Cli, { json }: Options, text: string, document: object): Promise<ExitCode> {
  await writeData(cli, json === true ? toJson(document, 2) : text);
  return ExitCode.ok;
}
