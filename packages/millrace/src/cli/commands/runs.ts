import type { Command } from "commander";
import type { Labels, ListFilter, RunRow, RunStatus } from "@millrace/core";
import { outPaint, say, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count, plural } from "../format/number.ts";
import type { Paint, Span } from "../format/style.ts";
import { table } from "../format/table.ts";
import { columnTime, duration, timeZone } from "../format/time.ts";
import { labelsText } from "../runs/labels-text.ts";
import { durationOf, rowDocument } from "../runs/run-document.ts";
import { statusTone } from "../runs/status-tone.ts";
import { undriven } from "../runs/undriven.ts";
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

Newest first. All times are UTC. Runs that no worker has the graph of wait for one that has: \`check --against\` tells what code
would go on with them.`;

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
  const { rows, more, waiting } = await withStore(options.db, cli.cwd, async ({ engine, backend }) => {
    const found = await engine.list(filter);
    const shown = found.slice(0, options.limit);
    return { rows: shown, more: found.length > shown.length, waiting: await undriven(backend, shown) };
  });
  if (options.json === true) {
    const documents = rows.map((row) => ({ ...rowDocument(row), waitsForWorker: waiting.has(row.id) }));
    await writeData(cli, toJson({ runs: documents, more }, 2));
    return ExitCode.ok;
  }
  if (rows.length === 0) say(cli, `no runs in ${options.db}${filtered(options) ? " match" : " yet"}`);
  else await writeData(cli, tableOf(rows, waiting, outPaint(cli)).join("\n"));
  if (waiting.size > 0)
    say(cli, `${plural(waiting.size, "run waits", "runs wait")} for a worker that has the graph as it was`);
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

/** Columns that are there only where something stands in them. */
function tableOf(rows: readonly RunRow[], waiting: ReadonlySet<string>, paint: Paint): string[] {
  const extra = [
    { title: "WAITS FOR", of: ({ id, graph }: RunRow) => (waiting.has(id) ? `a worker with ${graph}` : "") },
    { title: "LABELS", of: ({ labels }: RunRow) => labelsText(labels) },
  ].filter(({ of }) => rows.some((row) => of(row) !== ""));
  const lines = rows.map((row): Span[] => [...cells(row), ...extra.map(({ of }): Span => [of(row)])]);
  return table([...columns, ...extra.map(({ title }) => ({ title }))], lines, paint);
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
