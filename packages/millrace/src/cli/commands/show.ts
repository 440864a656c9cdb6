import { relative } from "node:path";
import type { Command } from "commander";
import { type Cli, outPaint, writeData } from "../cli.ts";
import { CliFailure } from "../errors/failure.ts";
import { showLocation } from "../errors/user-frame.ts";
import { nearest } from "../nearest.ts";
import { traceDocument } from "../trace/trace-document.ts";
import { traceReport } from "../trace/trace-report.ts";
import { openExisting, withEngine } from "../database.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { runDocument } from "../runs/run-document.ts";
import { dbOption } from "./run-options.ts";
import { runReport } from "../runs/run-report.ts";
import { unknownRun } from "../runs/unknown-run.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db?: string;
  readonly json?: true;
  readonly trace?: true;
}

const examples = `
Examples:
  $ millrace show 0198c1f2-6d3e-7c41-a0b2-5f1d2c3b4a59 --db runs.db
  $ millrace show nightly-7 --trace
  $ millrace show nightly-7 --db runs.db --json | jq '.errors[] | {node, message, count}'

All times are UTC. Reading changes nothing, also while the run is going on elsewhere.`;

export function addShowCommand(program: Command, host: CommandHost): void {
  program
    .command("show")
    .summary("show one run: status, times, open questions, nodes, errors, output")
    .description(
      "Shows one run: status, times, open questions, what each node finished and failed, errors, input and output.",
    )
    .argument("<id>", "id of the run")
    .addOption(dbOption("SQLite file that keeps the run; not needed with --trace", false))
    .option("--trace", "what it did, step by step, from the project's trace")
    .option("--json", "print one JSON document, with input and output in full")
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => show(host, id, options)));
}

async function show({ cli, end }: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  end.doing("the run was read");
  if (options.trace === true) return showTrace(cli, runId, options.json === true);
  const { db } = options;
  if (db === undefined) throw new CliFailure("MissingOption", "required option '--db <file>' not specified");
  const run = await withEngine(openExisting(db, cli.cwd), async (engine) => {
    const found = await engine.get(runId);
    if (found === undefined) throw await unknownRun(engine, runId, db, cli.invokedAs);
    return found;
  });
  await writeData(
    cli,
    options.json === true ? toJson(runDocument(run), 2) : runReport(run, outPaint(cli), cli.cwd).join("\n"),
  );
  return ExitCode.ok;
}

/** From the project around the working folder; where a run was traced says nothing of the database that keeps it. */
async function showTrace(cli: Cli, runId: string, json: boolean): Promise<ExitCode> {
  const { listTraces, projectTracesFile, readTrace } = await import("@millrace/core/node");
  const file = projectTracesFile(cli.cwd);
  const trace = readTrace(file, runId);
  if (trace === undefined) {
    const close = nearest(
      runId,
      listTraces(file).map((run) => run.runId),
    );
    throw new CliFailure("TraceNotFound", `there is no trace of run ${runId} in ${relative(cli.cwd, file) || file}`, {
      exit: ExitCode.notFound,
      hint:
        close === undefined
          ? "runs are traced into the project they were started in, unless with --no-trace"
          : `did you mean ${close}?`,
    });
  }
  const text = json
    ? toJson(traceDocument(trace), 2)
    : traceReport(trace, outPaint(cli), (frame) => showLocation(frame, cli.cwd)).join("\n");
  await writeData(cli, text);
  return ExitCode.ok;
}
