import type { Command } from "commander";
import type { Labels, ListFilter, RunRow, RunStatus } from "@millrace/core";
import { outPaint, say, writeData } from "../cli.ts";
import { openExisting, withEngine } from "../database.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count } from "../format/number.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { columnTime, duration, timeZone } from "../format/time.ts";
import { labelsText } from "../runs/labels-text.ts";
import { durationOf, rowDocument } from "../runs/run-document.ts";
import { statusTone } from "../runs/status-tone.ts";
import { limitOption, statusOption } from "./filter-options.ts";
import { dbOption, labelOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly status?: readonly RunStatus[];
  readonly graph?: string;
  readonly label?: Labels;
  readonly limit: number;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace runs --db runs.db
  $ millrace runs --db runs.db --status failed,drained --graph inbox --limit 5
  $ millrace runs --db runs.db --label user=ann --label session=s-1
  $ millrace runs --db runs.db --json | jq -r '.runs[] | select(.status == "drained") | .id'

Newest first. All times are UTC.`;

export function addRunsCommand(program: Command, host: CommandHost): void {
  program
    .command("runs")
    .summary("list the runs of a database")
    .description("Lists the runs of a database, newest first.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .addOption(statusOption())
    .option("--graph <name>", "only runs of this graph")
    .addOption(labelOption("only runs with this label, such as user=ann; repeatable, all must match"))
    .addOption(limitOption(20))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => listRuns(host, options)));
}

async function listRuns({ cli, end }: CommandHost, options: Options): Promise<ExitCode> {
  end.doing("the runs were read");
  const filter: ListFilter = {
    limit: options.limit + 1,
    ...(options.status !== undefined && { status: options.status }),
    ...(options.graph !== undefined && { graph: options.graph }),
    ...(options.label !== undefined && { labels: options.label }),
  };
  const found = await withEngine(openExisting(options.db, cli.cwd), (engine) => engine.list(filter));
  const rows = found.slice(0, options.limit);
  const more = found.length > rows.length;
  if (options.json === true) {
    await writeData(cli, toJson({ runs: rows.map(rowDocument), more }, 2));
    return ExitCode.ok;
  }
  if (rows.length === 0) say(cli, `no runs in ${options.db}${filtered(options) ? " match" : " yet"}`);
  else await writeData(cli, tableOf(rows, outPaint(cli)).join("\n"));
  if (more) say(cli, `more than ${count(options.limit)} runs; see others with --limit, --status, --graph or --label`);
  return ExitCode.ok;
}

const columns = [
  { title: "ID" },
  { title: "GRAPH" },
  { title: "STATUS" },
  { title: `CREATED (${timeZone})` },
  { title: `UPDATED (${timeZone})` },
  { title: "TOOK", align: "right" },
  { title: "RECORDS", align: "right" },
] as const;

/** Labels have a column where there are any. */
function tableOf(rows: readonly RunRow[], paint: Paint): string[] {
  if (rows.every(({ labels }) => labels === null)) return table(columns, rows.map(cells), paint);
  const withLabels = rows.map((row): Span[] => [...cells(row), [labelsText(row.labels)]]);
  return table([...columns, { title: "LABELS" }], withLabels, paint);
}

function cells(row: RunRow): Span[] {
  return [
    [row.id],
    [row.graph],
    [row.status, statusTone(row.status)],
    [columnTime(row.createdAt)],
    [columnTime(row.updatedAt)],
    [duration(durationOf(row))],
    [count(row.lastSeq)],
  ];
}

function filtered({ status, graph, label }: Options): boolean {
  return status !== undefined || graph !== undefined || label !== undefined;
}
