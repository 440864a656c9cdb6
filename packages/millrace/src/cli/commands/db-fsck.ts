import type { RunProblem } from "@millrace/core";
import type { Command } from "commander";
import { type Cli, outPaint, say, writeData } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import type { Paint } from "../format/style.ts";
import { oneLine } from "../format/text.ts";
import { tally } from "../progress/tally.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly graph?: string;
  readonly repair?: true;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace db fsck --db runs.db
  $ millrace db fsck --db runs.db --json | jq -r '.problems[] | [.run, .kind] | @tsv'
  $ millrace db fsck --db runs.db --repair

Reads every journal: checksums, contiguity, blobs, and whether the row of the run says what its journal says. Looks for runs
that nobody will wake, and for what SQLite finds wrong with the file. Exit code 1 when anything is wrong.

--repair queues runs again that nobody would wake (orphaned, asleep, unread), so that an engine that has their graph goes on
with them. It changes nothing else: a damaged journal is never repaired, restore it from a backup.
${exitCodeHelp}`;

export function addDbFsckCommand(db: Command, host: CommandHost): void {
  db.command("fsck")
    .summary("check every journal, and that every run has somebody who wakes it")
    .description("Checks a database: the file, every journal, and that every run has somebody who wakes it.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--graph <name>", "only runs of this graph")
    .option("--repair", "queue runs again that nobody would wake; changes nothing without it")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => fsck(host, options)));
}

interface Found {
  readonly problem: RunProblem;
  readonly repaired: boolean;
}

async function fsck({ cli, end }: CommandHost, options: Options): Promise<ExitCode> {
  end.doing("the database was checked");
  return withStore(options.db, cli.cwd, async (store) => {
    const file = (await store.sqlite?.integrity()) ?? [];
    const paint = outPaint(cli);
    if (options.json !== true)
      for (const line of file) await writeData(cli, `${paint("file", "bad")}  ${oneLine(line)}`);
    const found: Found[] = [];
    const runs = await checkAll(cli, store, options, async (each) => {
      found.push(each);
      if (options.json !== true) await writeData(cli, lines(each, paint).join("\n"));
    });
    const left = file.length + found.filter(({ repaired }) => !repaired).length;
    const document = { runs, file, problems: found.map(documentOf), ok: left === 0 };
    if (options.json === true) await writeData(cli, toJson(document, 2));
    say(cli, summary(runs, file.length, found));
    return left === 0 ? ExitCode.ok : ExitCode.failed;
  });
}

async function checkAll(
  cli: Cli,
  { backend }: Store,
  { graph, repair }: Options,
  tell: (found: Found) => Promise<void>,
): Promise<number> {
  const { checkRuns } = await import("@millrace/core");
  const { runs } = await checkRuns(backend, {
    ...(graph !== undefined && { filter: { graph } }),
    checked: tally(cli, (n) => `${plural(n, "run")} checked …`),
    found: async (problem) => {
      const repaired = repair === true && problem.requeue && (await backend.requeue(problem.runId, Date.now()));
      await tell({ problem, repaired });
    },
  });
  return runs;
}

function lines({ problem, repaired }: Found, paint: Paint): string[] {
  const { runId, graph, kind, detail, hint } = problem;
  return [
    `${paint(kind, "bad")}  ${oneLine(runId)}  ${oneLine(graph)}`,
    `  ${oneLine(detail)}`,
    repaired ? `  ${paint("repaired:", "good")} it is queued again` : `  ${paint("hint:", "quiet")} ${oneLine(hint)}`,
  ];
}

function documentOf({ problem, repaired }: Found): Record<string, unknown> {
  const { runId, graph, status, kind, detail, hint, requeue } = problem;
  return { run: runId, graph, status, kind, detail, hint, repairable: requeue, repaired };
}

function summary(runs: number, ofFile: number, found: readonly Found[]): string {
  const checked = `${plural(runs, "run")} checked`;
  if (ofFile + found.length === 0) return `${checked}: nothing is wrong`;
  const repaired = found.filter((each) => each.repaired).length;
  const mended = repaired > 0 ? `, ${plural(repaired, "of them repaired", "of them repaired")}` : "";
  return `${checked}: ${plural(ofFile + found.length, "problem")}${mended}`;
}
