import type { RunStatus } from "@millrace/core";
import type { Command } from "commander";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import { type Store, withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { type Left, leaveNote, openRun } from "../runs/leave-note.ts";
import { userName } from "../runs/user-name.ts";
import { isSettled, waitFor } from "../runs/wait-for.ts";
import { addWaitOptions, dbOption, type WaitOptions } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options extends WaitOptions {
  readonly db: string;
  readonly by?: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace drain nightly-7 --db runs.db
  $ millrace drain nightly-7 --wait --timeout 5m --db runs.db && millrace export nightly-7 --db runs.db --out run.jsonl

Whoever drives the run starts nothing new, lets what is in flight finish, and then holds it until \`resume\`, or until one of
its questions is answered. A run that nobody drives is held as soon as somebody takes it up.
${exitCodeHelp}`;

export function addDrainCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("drain")
    .summary("stop a run cleanly and hold it, whichever process drives it")
    .description("Stops a run at a point where it loses nothing, and holds it until somebody resumes it.")
    .argument("<id>", "id of the run")
    .option("--by <name>", "who asks for it (default: your user name)")
    .addOption(dbOption("SQLite file that keeps the run"));
  addWaitOptions(command, "wait until the run is held")
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => drain(host, id, options)));
}

/** In these it is held already, and a note would only hold it again when it is resumed. */
const held: readonly RunStatus[] = ["drained", "quarantined", "needs_review"];

async function drain({ cli, end }: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  end.doing("the run was drained");
  const { db, by = userName() } = options;
  const named = { runId, db, invokedAs: cli.invokedAs };
  return withStore(db, cli.cwd, async (store) => {
    const { status } = await openRun(store, named);
    if (held.includes(status)) {
      say(cli, `run ${runId} is held already: it is ${status}`);
      return done(cli, runId, status, options);
    }
    const left = await leaveNote(store, { ...named, kind: "drain", text: "", by });
    say(cli, sentence(left));
    return done(cli, runId, options.wait === true ? await heldStatus(store, runId, options) : left.row.status, options);
  });
}

async function heldStatus(store: Store, runId: string, { timeout }: Options): Promise<RunStatus> {
  const { status } = await waitFor(store, { runId, timeout, what: `run ${runId} to be held`, is: isSettled });
  return status;
}

function sentence({ row, driven, before }: Left): string {
  if (before !== undefined) return `run ${row.id} is to be drained already: ${before}`;
  if (driven) return `run ${row.id} drains: the engine that drives it holds it when what is in flight has finished`;
  return `nobody drives run ${row.id}, which is ${row.status}: it is held as soon as an engine takes it up`;
}

async function done(cli: Cli, runId: string, status: RunStatus, options: Options): Promise<ExitCode> {
  const rests = held.includes(status) || status === "interrupted";
  if (options.wait === true && !rests)
    throw new CliFailure("RunEnded", `run ${runId} was not drained: it is ${status}`, { exit: ExitCode.refused });
  if (options.wait === true) say(cli, `run ${runId} ${errPaint(cli)(status, "warn")}`);
  if (options.json === true) await writeData(cli, toJson({ id: runId, status }, 2));
  return ExitCode.ok;
}
