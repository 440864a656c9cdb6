/** The commands of `millrace`, and how their failures reach the person who typed them. */
import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { type Cli, errPaint, say, writeData } from "./cli.ts";
import { addAnswerCommand } from "./commands/answer.ts";
import { addCancelCommand } from "./commands/cancel.ts";
import { addCheckCommand } from "./commands/check.ts";
import { addDbCommand } from "./commands/db.ts";
import { addDiffCommand } from "./commands/diff.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addDrainCommand } from "./commands/drain.ts";
import { addExportCommand } from "./commands/export.ts";
import { addForkCommand } from "./commands/fork.ts";
import { addGraphCommand } from "./commands/graph.ts";
import { addHistoryCommand } from "./commands/history.ts";
import type { CommandHost } from "./commands/host.ts";
import { addImportCommand } from "./commands/import.ts";
import { addInboxCommand } from "./commands/inbox.ts";
import { addResumeCommand } from "./commands/resume.ts";
import { addRetryCommand } from "./commands/retry.ts";
import { addRunCommand } from "./commands/run.ts";
import { addRunsCommand } from "./commands/runs.ts";
import { addShowCommand } from "./commands/show.ts";
import { addStoreCommand } from "./commands/store.ts";
import { addThreadCommand } from "./commands/thread.ts";
import { ExitCode, exitCodeHelp } from "./exit.ts";
import { toJson } from "./format/json.ts";
import type { ProcessEnd } from "./process/process-end.ts";
import { reportJson, reportOf, showReport, showStack } from "./errors/report.ts";

const overview = `
Examples:
  $ millrace run flows/inbox.ts#inbox --input @input.json --db runs.db
  $ millrace runs --db runs.db
  $ millrace show <id> --db runs.db
  $ millrace resume <id> --graph flows/inbox.ts#inbox --db runs.db
  $ millrace retry <id> --graph flows/inbox.ts#inbox --db runs.db
  $ millrace inbox --db runs.db
  $ millrace answer <id> approve '{"approved":true}' --db runs.db
  $ millrace graph flows/inbox.ts#inbox

Data goes to stdout, progress and messages to stderr. All times are UTC. MILLRACE_DB stands in for --db.
${exitCodeHelp}`;

/** Runs the command line `args` (without the program's own name) and answers with the exit code. */
export async function runProgram(args: readonly string[], cli: Cli, end: ProcessEnd): Promise<ExitCode> {
  let exit: ExitCode = ExitCode.ok;
  const host: CommandHost = {
    cli,
    end,
    action:
      (body) =>
      async (...given) => {
        exit = await body(...given).catch((error: unknown) => fail(error, cli, args.includes("--json")));
      },
  };
  const program = buildProgram(cli, host);
  try {
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    return fail(error, cli, false);
  }
}

function buildProgram(cli: Cli, host: CommandHost): Command {
  const program = new Command("millrace")
    .description("Durable dataflow from the command line: run graphs, look at runs, continue them.")
    .version(version(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .addHelpText("after", overview)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void cli.stdout.write(text),
      writeErr: (text) => void cli.stderr.write(text),
      outputError: (text, write) => write(usageError(text, cli)),
    });
  for (const add of [
    addRunCommand,
    addRunsCommand,
    addShowCommand,
    addHistoryCommand,
    addResumeCommand,
    addRetryCommand,
    addForkCommand,
    addDiffCommand,
    addInboxCommand,
    addAnswerCommand,
    addCancelCommand,
    addDrainCommand,
    addGraphCommand,
    addStoreCommand,
    addThreadCommand,
    addDbCommand,
    addExportCommand,
    addImportCommand,
    addCheckCommand,
    addDoctorCommand,
  ])
    add(program, host);
  return program;
}

/** `error: unknown option '--jsn'` and, as a hint, what commander would have it be. */
function usageError(text: string, cli: Cli): string {
  const paint = errPaint(cli);
  const [message = "", suggestion] = text.trim().split("\n");
  const near = /^\(Did you mean (.*)\?\)$/.exec(suggestion ?? "")?.[1];
  const hint =
    near === undefined
      ? `${cli.invokedAs} --help lists commands, ${cli.invokedAs} <command> --help its options`
      : `did you mean ${near}?`;
  return `${paint("error:", "bad")} ${message.replace(/^error: /, "")}\n  ${paint("hint:", "quiet")} ${hint}\n`;
}

async function fail(error: unknown, cli: Cli, json: boolean): Promise<ExitCode> {
  const report = reportOf(error, cli.cwd);
  say(cli, showReport(report, errPaint(cli)) + showStack(error, cli));
  if (json) await writeData(cli, toJson(reportJson(report), 2));
  return report.exit;
}

function version(): string {
  return (createRequire(import.meta.url)("millrace/package.json") as { version: string }).version;
}
