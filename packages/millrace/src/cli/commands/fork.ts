import { type Command, Option } from "commander";
import type { Labels } from "@millrace/core";
import { openExisting } from "../database.ts";
import { type ExitCode, exitCodeHelp } from "../exit.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { readPatch } from "../input/read-patch.ts";
import { beginFork, previewFork, type ForkRequest } from "../runs/begin-fork.ts";
import { execute } from "../runs/execute.ts";
import { recordOption } from "./filter-options.ts";
import {
  addRunningOptions,
  dbOption,
  dryRunOption,
  labelOption,
  listOption,
  type RunningOptions,
} from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends RunningOptions {
  readonly graph: string;
  readonly at?: number;
  readonly before?: string;
  readonly set?: readonly string[];
  readonly input?: string;
  readonly rerun?: readonly string[];
  readonly id?: string;
  readonly label?: Labels;
  readonly traceId?: string;
  readonly dryRun?: true;
}

const examples = `
Examples:
  $ millrace fork nightly-7 --before classify --graph flows/inbox.ts#inbox --db runs.db
  $ millrace fork nightly-7 --set 'plan={"urls":["a"]}' --dry-run --graph flows/inbox.ts#inbox --db runs.db
  $ millrace fork nightly-7 --at 42 --set cell.total=0 --graph flows/inbox.ts#inbox --db runs.db
  $ millrace fork nightly-7 --rerun 'inbox/fetch.urls[1]/page' --graph flows/inbox.ts#inbox --db runs.db
  $ millrace fork nightly-7 --input @other.json --graph flows/inbox.ts#inbox --db runs.db

A new run keeps what the other one did, but for what is different and what follows from that; the other run is only read.
\`history\` lists the records, with --graph also the paths. Ops outside of streams and loops may be named without the graph.
What --set says of a cell holds from the record on where the fork begins: what was read before stays as it was read. What
is kept and what runs again is printed before anything runs.
${exitCodeHelp}`;

export function addForkCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("fork")
    .summary("begin a new run where another one stood, with something different")
    .description("Runs a new run to its end that begins as another one stood behind a record, and prints its output.")
    .argument("<id>", "id of the run to fork; it stays as it is")
    .requiredOption("--graph <file#graph>", "module and graph that the run is of")
    .addOption(dbOption("SQLite file that keeps the run"))
    .addOption(recordOption("--at <seq>", "keep what is up to this record (default: all of them)"))
    .addOption(new Option("--before <node>", "keep what is before the first record of this node").conflicts("at"))
    .addOption(
      listOption("--set <node=json>", "what an op is to have given, by node or path, or a cell holds: cell.name=json"),
    )
    .option("--input <json>", "another input: JSON, @file to read it from a file, - from standard input")
    .addOption(listOption("--rerun <path>", "do this op or question again; repeatable"))
    .option("--id <id>", "id of the new run (default: a new one, sortable by time)")
    .addOption(labelOption("labels of the new run instead of those of the other; repeatable"))
    .option("--trace-id <id>", "the caller's own id of what the new run is part of")
    .addOption(dryRunOption());
  addRunningOptions(command)
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => fork(host, id, options)));
}

async function fork(host: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  const { cli, end } = host;
  end.doing(`${options.graph} was loaded`);
  const loaded = await loadGraph(options.graph, cli);
  end.doing("what is different was read");
  const patch = await readPatch(options, cli);
  const { at, before, rerun, id, label, traceId } = options;
  const request: ForkRequest = {
    cli,
    runId,
    graph: loaded.graph.name,
    db: options.db,
    quiet: options.quiet === true,
    before,
    fork: {
      ...(at !== undefined && { at }),
      ...(patch !== undefined && { patch }),
      ...(rerun !== undefined && { rerun }),
    },
    marks: {
      ...(id !== undefined && { id }),
      ...(label !== undefined && { labels: label }),
      ...(traceId !== undefined && { traceId }),
    },
  };
  if (options.dryRun === true) {
    end.doing("the run was read");
    return previewFork(request, loaded.graph, options.json === true);
  }
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openExisting(options.db, cli.cwd, engine),
    begin: (engine) => beginFork(request, engine),
  });
}
