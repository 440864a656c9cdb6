import type { Command } from "commander";
import { outPaint, writeData } from "../cli.ts";
import { openExisting, withEngine } from "../database.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { runDocument } from "../runs/run-document.ts";
import { dbOption } from "./run-options.ts";
import { runReport } from "../runs/run-report.ts";
import { unknownRun } from "../runs/unknown-run.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace show 0198c1f2-6d3e-7c41-a0b2-5f1d2c3b4a59 --db runs.db
  $ millrace show nightly-7 --db runs.db --json | jq '.errors[] | {node, message, count}'

All times are UTC. Reading changes nothing, also while the run is going on elsewhere.`;

export function addShowCommand(program: Command, host: CommandHost): void {
  program
    .command("show")
    .summary("show one run: status, times, nodes, errors, output")
    .description("Shows one run: status, times, what each node finished and failed, errors, input and output.")
    .argument("<id>", "id of the run")
    .addOption(dbOption("SQLite file that keeps the run"))
    .option("--json", "print one JSON document, with input and output in full")
    .addHelpText("after", examples)
    .action(host.action((id: string, options: Options) => show(host, id, options)));
}

async function show({ cli, end }: CommandHost, runId: string, options: Options): Promise<ExitCode> {
  end.doing("the run was read");
  const run = await withEngine(openExisting(options.db, cli.cwd), async (engine) => {
    const found = await engine.get(runId);
    if (found === undefined) throw await unknownRun(engine, runId, options.db, cli.invokedAs);
    return found;
  });
  await writeData(cli, options.json === true ? toJson(runDocument(run), 2) : runReport(run, outPaint(cli)).join("\n"));
  return ExitCode.ok;
}
