import type { Command } from "commander";
import { outPaint, say, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { withoutHint } from "../errors/report.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { count, plural } from "../format/number.ts";
import { inboxDocument, inboxReport } from "../runs/inbox-report.ts";
import { limitOption } from "./filter-options.ts";
import { dbOption } from "./run-options.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly db: string;
  readonly graph?: string;
  readonly limit: number;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace inbox --db runs.db
  $ millrace inbox --db runs.db --graph approval --limit 5
  $ millrace inbox --db runs.db --json | jq -r '.questions[] | [.run, .id, .title] | @tsv'
  $ millrace answer nightly-7 gate/then/approve '{"approved":true}' --db runs.db

The questions of all runs, whichever process drives them, oldest first. What is answered and not taken up yet is left
out. Their modules are not needed. All times are UTC.`;

export function addInboxCommand(program: Command, host: CommandHost): void {
  program
    .command("inbox")
    .summary("list the open questions of all runs")
    .description("Lists what the runs of a database ask, oldest first.")
    .addOption(dbOption("SQLite file that keeps the runs"))
    .option("--graph <name>", "only questions of runs of this graph")
    .addOption(limitOption(50))
    .option("--json", "print one JSON document, with payloads in full")
    .addHelpText("after", examples)
    .action(host.action((options: Options) => listQuestions(host, options)));
}

async function listQuestions({ cli, end }: CommandHost, options: Options): Promise<ExitCode> {
  end.doing("the questions were read");
  const { db, graph, limit } = options;
  const { openQuestions } = await import("@millrace/core");
  const { questions, more } = await withStore(db, cli.cwd, ({ backend }) =>
    openQuestions(backend, {
      limit,
      ...(graph !== undefined && { graph }),
      damaged: (runId, error) => say(cli, `warning: run ${runId} is left out: ${withoutHint(error.message)}`),
    }),
  );
  if (options.json === true) {
    await writeData(cli, toJson({ questions: questions.map(inboxDocument), more }, 2));
    return ExitCode.ok;
  }
  if (questions.length === 0) say(cli, `nobody is asked anything in ${db}${graph === undefined ? "" : ` by ${graph}`}`);
  else await writeData(cli, inboxReport(questions, Date.now(), outPaint(cli)).join("\n"));
  if (questions.length > 0)
    say(
      cli,
      `${plural(questions.length, "open question")}; answer with ${cli.invokedAs} answer <run> <question> <json> --db ${db}`,
    );
  if (more) say(cli, `more than ${count(limit)} questions; see others with --limit or --graph`);
  return ExitCode.ok;
}
