import type { Command } from "commander";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import { openExisting, withEngine, withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { explainRefusal } from "../runs/explain-refusal.ts";
import { type Left, leaveNote } from "../runs/leave-note.ts";
import { userName } from "../runs/user-name.ts";
import { waitFor } from "../runs/wait-for.ts";
import { addWaitOptions, dbOption, type WaitOptions } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends WaitOptions {
  readonly db: string;
  readonly reason?: string;
  readonly by?: string;
  readonly graph?: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace cancel nightly-7 --db runs.db
  $ millrace cancel nightly-7 --reason "wrong folder" --wait --timeout 1m --db runs.db
  $ millrace cancel nightly-7 --graph flows/inbox.ts#inbox --db runs.db

The wish is left in the run's inbox, also when another process drives the run: that one ends it, after its finalizers. Of
a run that nobody drives, whoever takes it up next ends it; with --graph it is ended here and now.
${exitCodeHelp}`;

export function addCancelCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("cancel")
    .summary("cancel a run, whichever process drives it")
    .description("Ends a run as cancelled: what is in flight is aborted, and its finalizers run.")
    .argument("<id>", "id of the run")
    .option("--reason <text>", "why: kept in the journal")
    .option("--by <name>", "who cancels it (default: your user name)")
    .option("--graph <file#graph>", "module and graph that the run is of: end it here if nobody drives it")
    .addOption(dbOption("SQLite file that keeps the run"));
  addWaitOptions(command, "wait until the run has ended")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => cancel(host, id, options)));
}

async function cancel(host: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  const { cli } = host;
  host.end.doing("the run was cancelled");
  if (options.graph !== undefined) return cancelHere(host, runId, options.graph, options);
  const { db, reason = "cancelled from the command line", by = userName(), wait, timeout } = options;
  return withStore(db, cli.cwd, async (store) => {
    const left = await leaveNote(store, { runId, kind: "cancel", text: reason, by, db, invokedAs: cli.invokedAs });
    say(cli, sentence(left, cli));
    if (wait !== true) return done(cli, runId, left.row.status, options);
    const over = { runId, timeout, what: `run ${runId} to end` };
    const row = await waitFor(store, { ...over, is: ({ endedAt }) => endedAt !== null });
    return done(cli, runId, row.status, options);
  });
}

/** The run is taken over if nobody drives it; else whoever does ends it. */
async function cancelHere(
  { cli, end }: CommandHost,
  runId: string,
  reference: string,
  options: Options,
): Promise<ExitCode> {
  end.doing(`${reference} was loaded`);
  const { graph } = await loadGraph(reference, cli);
  end.doing("the run was cancelled");
  const { db, reason = "cancelled from the command line" } = options;
  const opening = openExisting(db, cli.cwd, { graphs: [graph], warn: (text) => say(cli, text) });
  return withEngine(opening, async (engine) => {
    try {
      const { status } = await engine.cancel(runId, reason);
      return await done(cli, runId, status, { ...options, wait: true });
    } catch (error) {
      const named = { engine, runId, graph: graph.name, db, invokedAs: cli.invokedAs };
      throw await explainRefusal(error, named, "cancel it with the code it was started with");
    }
  });
}

function sentence({ row, driven, before }: Left, cli: Cli): string {
  const paint = errPaint(cli);
  if (before !== undefined) return `run ${row.id} is to be cancelled already: ${before}`;
  const who = driven
    ? "the engine that drives it ends it"
    : `nobody drives it: an engine that has the graph ${row.graph} ends it, or --graph does here`;
  return `run ${row.id} ${paint("is to be cancelled", "warn")}; ${who}`;
}

async function done(cli: Cli, runId: string, status: string, options: Options): Promise<ExitCode> {
  if (options.wait === true && status !== "cancelled")
    throw new CliFailure("RunEnded", `run ${runId} was not cancelled: it is ${status}`, { exit: ExitCode.refused });
  if (options.wait === true) say(cli, `run ${runId} ${errPaint(cli)("cancelled", "warn")}`);
  if (options.json === true) await writeData(cli, toJson({ id: runId, status }, 2));
  return ExitCode.ok;
}
