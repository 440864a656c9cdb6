import type { Command } from "commander";
import { openExisting } from "../database.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodeHelp } from "../exit.ts";
import { questionTitles } from "../graphs/graph-shape.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import { readInput } from "../input/read-input.ts";
import { beginAnswer } from "../runs/begin-answer.ts";
import { execute } from "../runs/execute.ts";
import type { CommandHost } from "./host.ts";
import { addRunningOptions, dbOption, type RunningOptions } from "./run-options.ts";

interface Options extends RunningOptions {
  readonly graph: string;
  readonly value: string;
  readonly by?: string;
}

const examples = `
Examples:
  $ millrace answer nightly-7 --value '{"approved":true}' --graph flows/inbox.ts#inbox --db runs.db
  $ millrace answer nightly-7 gate/then/approve --value @answer.json --by ada --graph flows/inbox.ts --db runs.db
  $ jq -c .reply mail.json | millrace answer nightly-7 --value - --graph flows/inbox.ts#inbox --db runs.db

The question is named by its id, path or node, as \`show\` lists them; the only open one need not be named. An answer that
does not match leaves it open. The run then goes on to its end, or to its next questions.
${exitCodeHelp}`;

export function addAnswerCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("answer")
    .summary("answer a question of a run and go on with it")
    .description("Answers an open question of a run, goes on with the run and prints its output.")
    .argument("<id>", "id of the run")
    .argument("[question]", "id, path or node of the question; not needed when there is one only")
    .requiredOption("--value <json>", "the answer as JSON, @file to read it from a file, - from standard input")
    .option("--by <name>", "who answers: kept in the journal")
    .requiredOption("--graph <file#graph>", "module and graph that the run is of")
    .addOption(dbOption("SQLite file that keeps the run"));
  addRunningOptions(command)
    .addHelpText("after", examples)
    .action(
      host.action((id: string, question: string | undefined, options: Options) => answer(host, id, question, options)),
    );
}

async function answer(
  { cli, end }: CommandHost,
  runId: string,
  question: string | undefined,
  options: Options,
): Promise<ExitCode> {
  end.doing(`${options.graph} was loaded`);
  const loaded = await loadGraph(options.graph, cli);
  end.doing("the answer was read");
  const value = await readInput(options.value, cli, { name: "answer", option: "--value" });
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openExisting(options.db, cli.cwd, engine),
    begin: (engine) =>
      beginAnswer({
        engine,
        runId,
        question,
        value,
        by: options.by,
        titles: questionTitles(loaded.graph),
        graph: loaded.graph.name,
        db: options.db,
        invokedAs: cli.invokedAs,
      }),
  });
}
