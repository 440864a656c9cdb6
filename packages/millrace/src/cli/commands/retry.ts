import type { Command } from "commander";
import { openExisting } from "../database.ts";
import { type ExitCode, exitCodeHelp } from "../exit.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { beginRetry, previewRetry, type RetryRequest } from "../runs/begin-retry.ts";
import { execute } from "../runs/execute.ts";
import { addRunningOptions, dbOption, dryRunOption, type RunningOptions } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends RunningOptions {
  readonly graph: string;
  readonly handled?: true;
  readonly id?: string;
  readonly dryRun?: true;
}

const examples = `
Examples:
  $ millrace retry nightly-7 --graph flows/inbox.ts#inbox --db runs.db
  $ millrace retry nightly-7 --handled --id nightly-7-again --graph flows/inbox.ts#inbox --db runs.db
  $ millrace retry nightly-7 --dry-run --graph flows/inbox.ts#inbox --db runs.db

A run that has ended is never changed: of one that failed, a fork keeps what finished and does again what failed, and what
follows from that, under a new id. Failures that the graph handles itself stay, unless with --handled. A run that was
cancelled goes on as a fork from where it was. One that is quarantined has not ended, and goes on itself.
${exitCodeHelp}`;

export function addRetryCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("retry")
    .summary("do again what failed in a run, and keep what finished")
    .description("Does again what failed in a run, in a new run that keeps all that finished, and prints its output.")
    .argument("<id>", "id of the run")
    .requiredOption("--graph <file#graph>", "module and graph that the run is of")
    .addOption(dbOption("SQLite file that keeps the run"))
    .option("--handled", "also what failed and was handled by the graph")
    .option("--id <id>", "id of the new run (default: a new one, sortable by time)")
    .addOption(dryRunOption());
  addRunningOptions(command)
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => retry(host, id, options)));
}

async function retry(host: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  const { cli, end } = host;
  end.doing(`${options.graph} was loaded`);
  const loaded = await loadGraph(options.graph, cli);
  const { db, id } = options;
  const request: RetryRequest = {
    cli,
    runId,
    graph: loaded.graph.name,
    db,
    quiet: options.quiet === true,
    handled: options.handled === true,
    marks: id === undefined ? {} : { id },
  };
  if (options.dryRun === true) {
    end.doing("the run was read");
    return previewRetry(request, loaded.graph, options.json === true);
  }
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openExisting(db, cli.cwd, engine),
    begin: (engine) => beginRetry(request, engine),
  });
}
