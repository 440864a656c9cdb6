import type { Command } from "commander";
import { outPaint, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { factLines } from "../format/facts.ts";
import { toJson } from "../format/json.ts";
import { examine, type Finding, nodeFinding, unreachable } from "../doctor/examine.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace doctor --db runs.db
  $ millrace doctor --db runs.db --json | jq -r '.findings[] | select(.ok | not) | .text'

Looks at this Node, the database and its schema, the engines that live, the question that waits longest, runs that are
quarantined, orphaned or need a review, and the free space of the disk. Exit code 1 when something needs attention; \`db fsck\`
reads every journal. All times are UTC.
${exitCodeHelp}`;

export function addDoctorCommand(program: Command, host: CommandHost): void {
  program
    .command("doctor")
    .summary("a short report on whether all is well")
    .description("Tells in a few lines whether a database and its runs need attention.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => doctor(host, options)));
}

async function doctor({ cli, end }: CommandHost, { db, json }: Options): Promise<ExitCode> {
  end.doing("the database was examined");
  const found = await withStore(db, cli.cwd, (store) => examine(store, Date.now())).catch(unreachable);
  const findings = [nodeFinding(), ...found];
  const ok = findings.every((finding) => finding.ok);
  await writeData(cli, json === true ? toJson({ ok, findings }, 2) : lines(findings, cli).join("\n"));
  return ok ? ExitCode.ok : ExitCode.failed;
}

function lines(findings: readonly Finding[], cli: CommandHost["cli"]): string[] {
  const paint = outPaint(cli);
  return factLines(
    findings.map(({ name, text, ok, hint }) => [
      name,
      `${paint(ok ? "ok" : "!!", ok ? "good" : "bad")}  ${text}${hint === undefined ? "" : `: ${hint}`}`,
    ]),
    paint,
  );
}
