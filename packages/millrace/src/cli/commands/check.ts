import type { RunVerdict } from "@millrace/core";
import type { Command } from "commander";
import { outPaint, say, writeData } from "../cli.ts";
import { withStore } from "../database.ts";
import { nameDatabase } from "../servers/address.ts";
import { ExitCode, exitCodeHelp } from "../exit.ts";
import { toJson } from "../format/json.ts";
import { plural } from "../format/number.ts";
import type { AnyGraph } from "../graphs/graph-shape.ts";
import { loadGraphs } from "../graphs/load-graph.ts";
import { tally } from "../progress/tally.ts";
import { verdictDocument, verdictLines } from "../runs/verdict-report.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly against: string;
  readonly json?: true;
}

const examples = `
Examples:
  $ millrace check --against runs.db flows/inbox.ts
  $ millrace check --against runs.db flows/inbox.ts#inbox
  $ millrace check --against runs.db flows/inbox.ts --json | jq -r '.runs[] | select(.verdict != "fits") | .run'

For a release: would the runs that have not ended go on with this code? Their journals are replayed in memory; edges and
reducers run, ops do not, and nothing is written. Exit code 1 when a run would be refused or would not fit. Runs of graphs
that the module does not have are counted, and judged by nobody.
${exitCodeHelp}`;

export function addCheckCommand(program: Command, host: CommandHost): void {
  program
    .command("check")
    .summary("tell which runs would not go on with changed code")
    .description("Replays the runs of a database that have not ended against the code of a module.")
    .argument("<file>", "module whose graphs are checked, or one of its graphs as <file#graph>")
    .requiredOption("--against <db>", "SQLite file that keeps the runs, or the address of a database", nameDatabase)
    .option("--json", "print one JSON document")
    .addHelpText("after", examples)
    .action(host.action((file: string, options: Options) => check(host, file, options)));
}

/** With this code; or judged by nobody. */
const goesOn: ReadonlySet<RunVerdict["verdict"]> = new Set<RunVerdict["verdict"]>(["fits", "migrates", "unknown"]);

async function check({ cli, end }: CommandHost, file: string, { against, json }: Options): Promise<ExitCode> {
  end.doing(`${file} was loaded`);
  const graphs = await loadGraphs(file, cli);
  end.doing("the runs were replayed");
  const verdicts = await verdictsOf(graphs, against, cli);
  const broken = verdicts.filter(({ verdict }) => !goesOn.has(verdict));
  if (json === true) await writeData(cli, toJson({ ok: broken.length === 0, runs: verdicts.map(verdictDocument) }, 2));
  else if (broken.length > 0)
    await writeData(cli, broken.flatMap((verdict) => verdictLines(verdict, outPaint(cli))).join("\n"));
  say(cli, summary(verdicts, broken.length));
  return broken.length === 0 ? ExitCode.ok : ExitCode.failed;
}

async function verdictsOf(
  graphs: readonly AnyGraph[],
  db: string,
  cli: CommandHost["cli"],
): Promise<readonly RunVerdict[]> {
  const { checkAgainst } = await import("@millrace/core");
  const progress = tally(cli, (n) => `${plural(n, "run")} replayed …`);
  return withStore(db, cli.cwd, async ({ backend }) => {
    const verdicts: RunVerdict[] = [];
    for await (const verdict of checkAgainst(backend, graphs)) progress(verdicts.push(verdict));
    return verdicts;
  });
}

function summary(verdicts: readonly RunVerdict[], broken: number): string {
  const unknown = verdicts.filter(({ verdict }) => verdict === "unknown");
  const checked = `${plural(verdicts.length - unknown.length, "run")} checked`;
  const names = [...new Set(unknown.map(({ graph }) => graph))].sort().join(", ");
  const others =
    unknown.length === 0 ? "" : `; ${plural(unknown.length, "run is", "runs are")} of other graphs: ${names}`;
  const mapped = verdicts.filter(({ verdict }) => verdict === "migrates").length;
  const thanks = mapped === 0 ? "" : `, ${mapped} of them because of migrate`;
  const all = `all go on with this code${thanks}`;
  const some = `${plural(broken, "does", "do")} not go on${mapped === 0 ? "" : `; ${mapped} would because of migrate`}`;
  return `${checked}: ${broken === 0 ? all : some}${others}`;
}
