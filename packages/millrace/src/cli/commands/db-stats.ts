import type { BackendStats } from "@millrace/core";
import type { Command } from "commander";
import { outPaint, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { ExitCode } from "../exit.ts";
import { bytes } from "../format/bytes.ts";
import { factLines } from "../format/facts.ts";
import { toJson } from "../format/json.ts";
import { count, plural } from "../format/number.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db stats --db runs.db
  $ millrace db stats --db runs.db --json | jq .runs.failed`;

export function addDbStatsCommand(db: Command, host: CommandHost): void {
  db.command("stats")
    .summary("count what is in a database")
    .description(
      "Counts runs by status, journal, blobs, notes, threads and entries of the store, and the bytes of the file.",
    )
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => stats(host, options)));
}

async function stats({ cli, end }: CommandHost, { db, json }: Options): Promise<ExitCode> {
  end.doing("the database was counted");
  const counted = await withStore(db, cli.cwd, ({ backend }) => backend.stats());
  // The one who counts is an owner too.
  const told = { ...counted, owners: counted.owners - 1 };
  await writeData(cli, json === true ? toJson(told, 2) : factLines(facts(told), outPaint(cli)).join("\n"));
  return ExitCode.ok;
}

function entriesText({ entries, entryBytes = 0 }: BackendStats): string {
  return entries === undefined ? "none" : `${plural(entries, "entry", "entries")}, ${bytes(entryBytes)}`;
}

function facts(stats: BackendStats): (readonly [string, string])[] {
  const { runs, journalRows, journalBytes, blobs, blobBytes, notes, threads, owners, schemaVersion } = stats;
  const byStatus = Object.entries(runs).map(([status, n]) => `${count(n)} ${status}`);
  const all = Object.values(runs).reduce((sum, n) => sum + n, 0);
  return [
    ["runs", byStatus.length === 0 ? "none" : `${count(all)}: ${byStatus.join(", ")}`],
    ["journal", `${plural(journalRows, "row")}, ${bytes(journalBytes)}`],
    ["blobs", `${count(blobs)}, ${bytes(blobBytes)}`],
    ["notes", `${count(notes)} not taken up yet`],
    ["threads", count(threads)],
    ["store", entriesText(stats)],
    ["engines", `${count(owners)} alive`],
    ["file", stats.bytes === null ? "unknown" : bytes(stats.bytes)],
    ["schema", String(schemaVersion)],
  ];
}
