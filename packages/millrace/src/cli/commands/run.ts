import { type Command, Option } from "commander";
import type { Labels } from "@millrace/core";
import { openForRunning } from "../database.ts";
import { execute } from "../runs/execute.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodeHelp } from "../exit.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { readInput } from "../input/read-input.ts";
import { addRunningOptions, dbOption, labelOption, type RunningOptions } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends RunningOptions {
  readonly input?: string;
  readonly id?: string;
  readonly errors?: "record" | "raise";
  readonly label?: Labels;
  readonly traceId?: string;
}

const examples = `
Examples:
  $ millrace run flows/inbox.ts#inbox --input '{"folder":"mail"}' --db runs.db
  $ millrace run flows/inbox.ts --input @input.json --db runs.db > report.json
  $ jq -c .query request.json | millrace run flows/search.ts#search --input - --db runs.db --json
  $ millrace run flows/inbox.ts --db runs.db --label user=ann --label session=s-1 --trace-id 4bf92f3577b34da6

The output goes to stdout as JSON, progress and messages to stderr. Ctrl-C finishes what is in flight and prints the
command that resumes; a second Ctrl-C stops at once, and the run can still be resumed. A run that only waits for answers
is put aside: its questions and the command that answers are printed, and the exit code is 4.
${exitCodeHelp}`;

export function addRunCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("run")
    .summary("run a graph to its end")
    .description("Runs a graph to its end and prints its output. Everything that finished is kept in the database.")
    .argument(
      "<file#graph>",
      "module and graph: an export's name or the graph's own; without #graph the only one it exports",
    )
    .option("--input <json>", "the input as JSON, @file to read it from a file, - from standard input (default: {})")
    .addOption(dbOption("SQLite file that keeps the run; created when missing"))
    .option("--id <id>", "id of the run (default: a new one, sortable by time)")
    .addOption(labelOption("a label to find the run by, such as user=ann; repeatable"))
    .option("--trace-id <id>", "the caller's own id of what the run is part of")
    .addOption(
      new Option(
        "--errors <mode>",
        "record: independent branches go on (default); raise: the first unhandled failure ends the run",
      ).choices(["record", "raise"]),
    );
  addRunningOptions(command)
    .addHelpText("after", examples)
    .action(host.action((reference: string, options: Options) => run(host, reference, options)));
}

async function run({ cli, end }: CommandHost, reference: string, options: Options): Promise<ExitCode> {
  end.doing(`${reference} was loaded`);
  const loaded = await loadGraph(reference, cli);
  end.doing("the input was read");
  const input = await readInput(options.input, cli);
  const { id, errors, label, traceId } = options;
  const startOptions = {
    ...(id !== undefined && { id }),
    ...(errors !== undefined && { errors }),
    ...(label !== undefined && { labels: label }),
    ...(traceId !== undefined && { traceId }),
  };
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openForRunning(options.db, cli.cwd, engine),
    begin: async (engine) => ({ handle: await engine.start(loaded.graph, input as never, startOptions) }),
  });
}
