import type { Command } from "commander";
import type { HistoryEntry } from "@millrace/core";
import { type Cli, outPaint, reads, say, writeData } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count } from "../format/number.ts";
import type { AnyGraph } from "../graphs/graph-shape.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { explainRefusal } from "../runs/explain-refusal.ts";
import { historyDocument, HistoryLines, type Redact } from "../runs/history-lines.ts";
import { type Found, select } from "../runs/select-records.ts";
import { stateDocument, stateReport } from "../runs/state-report.ts";
import { unknownRun } from "../runs/unknown-run.ts";
import { limitOption, recordOption } from "./filter-options.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly at?: number;
  readonly from?: number;
  readonly last?: number;
  readonly limit?: number;
  readonly node?: string;
  readonly graph?: string;
  readonly json?: true;
}

/** Without --limit, on paper. A program gets all. */
const pageLength = 100;
const shownOutputs = 50;

const examples = `
Examples:
  $ millrace history nightly-7 --db runs.db
  $ millrace history nightly-7 --from 101 --limit 50 --db runs.db
  $ millrace history nightly-7 --last 20 --node fetchPage --graph flows/inbox.ts#inbox --db runs.db
  $ millrace history nightly-7 --at 42 --graph flows/inbox.ts#inbox --db runs.db
  $ millrace history nightly-7 --json --db runs.db | jq -c 'select(.kind == "attemptFailed") | [.seq, .node, .error.message]'

Every record is a point at which \`fork\` can leave the run; a + marks one that belongs to the record above it, and a fork
at either keeps both. Times stand where the journal has them. With --graph nodes have their paths, as \`fork\` takes them;
without it they have the numbers of their items. --json prints one line for each record, with its value in full, and
without --limit all of them. What stands under keys that name secrets is left out. All times are UTC.`;

export function addHistoryCommand(program: Command, host: CommandHost): void {
  program
    .command("history")
    .summary("list what a run did, record by record, or show how it stood behind one")
    .description("Lists the records of a run: what happened, where, and with what value. Reading changes nothing.")
    .argument("<id>", "id of the run")
    .addOption(dbOption("SQLite file that keeps the run"))
    .addOption(
      recordOption(
        "--at <seq>",
        "show cells, outputs and open questions as they were behind this record; needs --graph",
      ),
    )
    .addOption(recordOption("--from <seq>", "begin at this record"))
    .addOption(recordOption("--last <n>", "only the last ones").conflicts("from"))
    .addOption(
      limitOption(undefined, `at most this many; of --at: outputs (default: ${pageLength}; of --at: ${shownOutputs})`),
    )
    .option("--node <name>", "only records of this node: its name, its path, or a block around it")
    .option("--graph <file#graph>", "module and graph that the run is of")
    .option("--json", "print one JSON line per record; of --at: one document")
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => history(host, id, options)));
}

async function history(host: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  const { cli, end } = host;
  let graph: AnyGraph | undefined;
  if (options.graph !== undefined) {
    end.doing(`${options.graph} was loaded`);
    ({ graph } = await loadGraph(options.graph, cli));
  }
  if (options.at !== undefined && graph === undefined)
    throw new CliFailure("MissingOption", "--at needs --graph <file#graph>", {
      hint: "cells are folded by the graph's own code",
    });
  end.doing("the run was read");
  const { redacted } = await import("@millrace/core");
  const read = async (store: Store): Promise<ExitCode> => {
    const page = { cli, store, runId, options, redact: (value: unknown) => redacted(value) };
    if (options.at === undefined) return listRecords(page);
    try {
      return await showState(page, options.at);
    } catch (error) {
      const named = { engine: store.engine, runId, graph: graph?.name ?? "", db: options.db, invokedAs: cli.invokedAs };
      throw await explainRefusal(error, named, "read it with the code it was started with");
    }
  };
  return withStore(options.db, cli.cwd, read, graph === undefined ? {} : { graphs: [graph] });
}

interface Page {
  readonly cli: Cli;
  readonly store: Store;
  readonly runId: string;
  readonly options: Options;
  readonly redact: Redact;
}

async function lastOf({ cli, store: { engine, backend }, runId, options }: Page): Promise<number> {
  const row = await backend.get(runId);
  if (row === undefined) throw await unknownRun(engine, runId, options.db, cli.invokedAs);
  return row.lastSeq;
}

async function showState(page: Page, at: number): Promise<ExitCode> {
  const { cli, store, runId, options, redact } = page;
  const last = await lastOf(page);
  const limit = options.limit ?? (options.json === true ? undefined : shownOutputs);
  const state = await store.engine.stateAt(runId, at, limit === undefined ? {} : { limit });
  const text =
    options.json === true
      ? toJson(stateDocument(state, redact), 2)
      : stateReport(state, { paint: outPaint(cli), redact, cwd: cli.cwd, now: Date.now(), last }).join("\n");
  await writeData(cli, text);
  return ExitCode.ok;
}

async function listRecords(page: Page): Promise<ExitCode> {
  const { cli, store, runId, options, redact } = page;
  const seqs = await lastOf(page);
  const { json, node, last, from } = options;
  const limit = options.limit ?? (json === true || last !== undefined ? Infinity : pageLength);
  const found: Found = { records: 0, next: undefined };
  const lines = new HistoryLines(outPaint(cli), redact, seqs);
  const records = store.engine.history(runId, { ...(from !== undefined && { from }), blobs: json === true });
  for await (const entry of select(records, { runId, node, last, limit }, found)) {
    // A reader that went away (`| head`) has what it wanted.
    if (!reads(cli)) return ExitCode.ok;
    if (found.records === 1 && json !== true) await writeData(cli, lines.head);
    await writeData(cli, textOf(entry, lines, page));
  }
  if (found.next !== undefined)
    say(cli, `there are more of ${count(seqs)} records; go on with --from ${found.next}, or see others with --limit`);
  return ExitCode.ok;
}

function textOf(entry: HistoryEntry, lines: HistoryLines, { options, redact }: Page): string {
  return options.json === true ? toJson(historyDocument(entry, redact)) : lines.line(entry);
}
