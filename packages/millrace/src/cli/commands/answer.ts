import type { Command } from "commander";
import { openExisting, withStore } from "../database.ts";
import { CliFailure } from "../errors/failure.ts";
import type { ExitCode } from "../exit.ts";
import { exitCodeHelp } from "../exit.ts";
import { questionTitles } from "../graphs/graph-shape.ts";
import { type LoadedGraph, loadGraph } from "../graphs/load-graph.ts";
import { readInput } from "../input/read-input.ts";
import { type AnswerTerms, beginAnswer } from "../runs/begin-answer.ts";
import { execute } from "../runs/execute.ts";
import { leaveAnswer } from "../runs/leave-answer.ts";
import { isElsewhere } from "../runs/explain-refusal.ts";
import { userName } from "../runs/user-name.ts";
import type { CommandHost } from "./host.ts";
import { addRunningOptions, addWaitOptions, dbOption, type RunningOptions, type WaitOptions } from "./run-options.ts";

interface Options extends RunningOptions, WaitOptions {
  readonly graph?: string;
  readonly value?: string;
  readonly by?: string;
}

const examples = `
Examples:
  $ millrace answer nightly-7 gate/then/approve '{"approved":true}' --db runs.db
  $ millrace answer nightly-7 gate/then/approve @answer.json --by ada --wait --db runs.db
  $ millrace answer nightly-7 --value '{"approved":true}' --graph flows/inbox.ts#inbox --db runs.db
  $ jq -c .reply mail.json | millrace answer nightly-7 approve - --db runs.db

The question is named by its id, path or node, as \`inbox\` and \`show\` list them; with --value the only open one need not
be named. The first answer counts. With --graph it is checked here, one that does not match leaves the question open, and
the run goes on here to its end, or to its next questions. Without it, or when another process drives the run, the answer
is left in the run's inbox, for whoever has the graph; --wait waits for what the run comes to.
${exitCodeHelp}`;

export function addAnswerCommand(program: Command, host: CommandHost): void {
  const command = program
    .command("answer")
    .summary("answer a question of a run")
    .description("Answers an open question of a run; with --graph goes on with the run and prints its output.")
    .argument("<id>", "id of the run")
    .argument("[question]", "id, path or node of the question; with --value not needed when there is one only")
    .argument("[value]", "the answer as JSON, @file to read it from a file, - from standard input")
    .option("--value <json>", "the answer, in the place of [value]")
    .option("--by <name>", "who answers: kept in the journal (default: your user name)")
    .option("--graph <file#graph>", "module and graph that the run is of: go on with it here")
    .addOption(dbOption("SQLite file that keeps the run"));
  addRunningOptions(addWaitOptions(command, "without --graph: wait for what the run comes to"))
    .addHelpText("after", examples)
    .action(
      host.action((id: string, question: string | undefined, value: string | undefined, options: Options) =>
        answer(host, id, question, { ...options, ...(value !== undefined && { positional: value }) }),
      ),
    );
}

interface Given extends Options {
  readonly positional?: string;
}

async function answer(host: CommandHost, runId: string, question: string | undefined, given: Given): Promise<ExitCode> {
  const { cli, end } = host;
  const loaded = given.graph === undefined ? undefined : await load(host, given.graph);
  end.doing("the answer was read");
  const [text, option] = valueOf(given);
  const value = await readInput(text, cli, { name: "answer", option });
  const terms = { runId, question, value, by: given.by ?? userName() };
  if (loaded === undefined) return leave(host, terms, given);
  try {
    return await goOn(host, loaded, terms, given);
  } catch (error) {
    if (!isElsewhere(error)) throw error;
    return await leave(host, terms, given);
  }
}

async function load({ cli, end }: CommandHost, reference: string): Promise<LoadedGraph> {
  end.doing(`${reference} was loaded`);
  return loadGraph(reference, cli);
}

function valueOf({ value, positional }: Given): [text: string, option: string] {
  if (value !== undefined && positional === undefined) return [value, "--value"];
  if (positional !== undefined && value === undefined) return [positional, "the command line"];
  throw new CliFailure("MissingOption", value === undefined ? "no answer was given" : "two answers were given", {
    hint: "write it behind the question, or as --value",
  });
}

function leave({ cli, end }: CommandHost, terms: AnswerTerms, options: Options): Promise<ExitCode> {
  end.doing("the answer was left");
  return withStore(options.db, cli.cwd, (store) => leaveAnswer({ cli, store, ...terms, options }));
}

function goOn({ cli, end }: CommandHost, loaded: LoadedGraph, terms: AnswerTerms, options: Options): Promise<ExitCode> {
  return execute({
    cli,
    end,
    loaded,
    options,
    open: (engine) => openExisting(options.db, cli.cwd, engine),
    begin: (engine) =>
      beginAnswer({
        engine,
        ...terms,
        titles: questionTitles(loaded.graph),
        graph: loaded.graph.name,
        db: options.db,
        invokedAs: cli.invokedAs,
      }),
  });
}
