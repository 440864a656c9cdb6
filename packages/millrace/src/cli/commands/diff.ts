import type { Command } from "commander";
import type { RunComparison } from "@millrace/core";
import { type Cli, outPaint, reads, say, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { isEngineError } from "../errors/report.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count } from "../format/number.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { comparisonDocument, differenceDocument, differenceLines, headLines } from "../runs/diff-report.ts";
import type { Redact } from "../runs/history-lines.ts";
import { timingLines, timingsDocument, timingsOf } from "../runs/diff-timings.ts";
import { unknownRun } from "../runs/unknown-run.ts";
import { limitOption } from "./filter-options.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly graph?: string;
  readonly node?: string;
  readonly limit: number;
  readonly timings?: true;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace diff nightly-7 nightly-7-again --db runs.db
  $ millrace diff nightly-7 nightly-8 --node classify --graph flows/inbox.ts#inbox --db runs.db
  $ millrace diff nightly-7 nightly-8 --timings --db runs.db
  $ millrace diff nightly-7 nightly-8 --json --db runs.db | jq -r '.differences[] | [.what, .node] | @tsv'

Compared is what each run came to, by node and item: values, failures, arms taken, questions and answers, and how the runs
ended. When something happened, and how often it was tried, is not. Long values are cut where they begin to differ, and
what stands under keys that name secrets is not shown.
Exit code 0: they came to the same; 1: they differ.
${exitCodeHelp}`;

export function addDiffCommand(program: Command, host: CommandHost): void {
  program
    .command("diff")
    .summary("compare two runs, such as a fork and what it is forked from")
    .description("Compares what two runs came to, node by node.")
    .argument("<a>", "id of a run")
    .argument("<b>", "id of another one")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--graph <file#graph>", "module and graph that the runs are of: shows paths")
    .option("--node <name>", "only this node, or the nodes inside of this block")
    .addOption(limitOption(50, "at most this many differences"))
    .option("--timings", "also how long they took: the runs, and their nodes where both were traced in this project")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((a: string, b: string, options: Options) => diff(host, a, b, options)));
}

async function diff({ cli, end }: CommandHost, a: string, b: string, options: Options): Promise<ExitCode> {
  const { db, graph: reference, node, limit } = options;
  if (reference !== undefined) end.doing(`${reference} was loaded`);
  const graphs = reference === undefined ? [] : [(await loadGraph(reference, cli)).graph];
  end.doing("the runs were compared");
  const { compareRuns, redacted } = await import("@millrace/core");
  return withStore(db, cli.cwd, async ({ engine, backend }) => {
    try {
      const compared = await compareRuns(backend, a, b, { graphs, limit, ...(node !== undefined && { node }) });
      if (node !== undefined && compared.common + compared.different === 0) throw nothingOf(node, a, b);
      const print = options.json === true ? printJson : printText;
      await print(cli, compared, (value) => redacted(value), options);
      return compared.different === 0 ? ExitCode.ok : ExitCode.failed;
    } catch (error) {
      if (!isEngineError(error) || error.code !== "RunNotFound") throw error;
      const missing = (await backend.get(a)) === undefined ? a : b;
      throw await unknownRun(engine, missing, db, cli.invokedAs);
    }
  });
}

function nothingOf(node: string, a: string, b: string): CliFailure {
  return new CliFailure("NodeNotFound", `neither ${a} nor ${b} has a record of ${JSON.stringify(node)}`, {
    exit: ExitCode.notFound,
    hint: "history lists the nodes of a run",
  });
}

async function printText(cli: Cli, compared: RunComparison, redact: Redact, options: Options): Promise<void> {
  const paint = outPaint(cli);
  await writeData(cli, headLines(compared, paint).join("\n"));
  let shown = 0;
  for await (const difference of compared.differences) {
    if (!reads(cli)) return;
    shown++;
    await writeData(cli, differenceLines(difference, compared, redact, paint).join("\n"));
  }
  if (options.timings === true) await writeData(cli, timingLines(await timingsOf(cli, compared), paint).join("\n"));
  const left = compared.different - shown;
  if (left > 0) say(cli, `${count(left)} more differences; see others with --limit or --node`);
}

async function printJson(cli: Cli, compared: RunComparison, redact: Redact, options: Options): Promise<void> {
  const differences: unknown[] = [];
  for await (const difference of compared.differences) differences.push(differenceDocument(difference, redact));
  const timings = options.timings === true ? { timings: timingsDocument(await timingsOf(cli, compared)) } : {};
  await writeData(cli, toJson({ ...comparisonDocument(compared), differences, ...timings }, 2));
}
