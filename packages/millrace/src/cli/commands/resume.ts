import type { Command } from "commander";
import { beginResume } from "../runs/begin-resume.ts";
import { openExisting } from "../database.ts";
import { execute } from "../runs/execute.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodeHelp } from "../exit.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { addRunningOptions, dbOption, type RunningOptions } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends RunningOptions {
  readonly graph: string;
  readonly allowGraphChange?: true;
}

const examples = `
Examples:
  $ millrace resume 0198c1f2-6d3e-7c41-a0b2-5f1d2c3b4a59 --graph flows/inbox.ts#inbox --db runs.db
  $ millrace resume nightly-7 --graph flows/inbox.ts --db runs.db --allow-graph-change

What had finished does not run again; what was in flight starts over with the same idempotency key. Of a run that has
ended already the result is printed.
${exitCodeHelp}`;

export function addResumeCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("resume")
    .summary("continue a drained or interrupted run")
    .description("Continues a run that was drained, or whose process died, to its end and prints its output.")
    .argument("<id>", "id of the run")
    .requiredOption("--graph <file#graph>", "module and graph that the run is of")
    .addOption(dbOption("SQLite file that keeps the run"))
    .option("--allow-graph-change", "continue although the graph changed; records are matched by node name");
  addRunningOptions(command)
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => resume(host, id, options)));
}

async function resume({ cli, end }: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  end.doing(`${options.graph} was loaded`);
  const loaded = await loadGraph(options.graph, cli);
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openExisting(options.db, cli.cwd, engine),
    begin: (engine) =>
      beginResume({
        engine,
        runId,
        graph: loaded.graph.name,
        db: options.db,
        invokedAs: cli.invokedAs,
        allowGraphChange: options.allowGraphChange === true,
      }),
  });
}
