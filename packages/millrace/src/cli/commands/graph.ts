import { type Command, Option } from "commander";
import { type Cli, errPaint, say, writeData } from "../cli.ts";
import { ExitCode } from "../exit.ts";
import { toJson } from "../format/json.ts";
import type { AnyGraph } from "../graphs/graph-shape.ts";
import { loadGraph } from "../graphs/load-graph.ts";
import type { CommandHost } from "./host.ts";

interface Options {
  readonly format: "mermaid" | "json";
}

const examples = `
Examples:
  $ millrace graph flows/inbox.ts#inbox
  $ millrace graph flows/inbox.ts#inbox --format json | jq .fingerprint

Nothing runs. Warnings of the build go to stderr.`;

export function addGraphCommand(program: Command, host: CommandHost): void {
  program
    .command("graph")
    .summary("print a graph as Mermaid or JSON")
    .description("Prints the structure of a graph: Mermaid for people and documents, JSON for tools.")
    .argument(
      "<file#graph>",
      "module and graph: an export's name or the graph's own; without #graph the only one it exports",
    )
    .addOption(new Option("--format <format>", "mermaid or json").choices(["mermaid", "json"]).default("mermaid"))
    .addHelpText("after", examples)
    .action(host.action((reference: string, options: Options) => printGraph(host, reference, options)));
}

async function printGraph({ cli, end }: CommandHost, reference: string, { format }: Options): Promise<ExitCode> {
  end.doing(`${reference} was loaded`);
  const { graph } = await loadGraph(reference, cli);
  sayFindings(graph, cli);
  await writeData(cli, format === "mermaid" ? graph.plan.mermaid() : toJson(graph.plan.toJSON(), 2));
  return ExitCode.ok;
}

function sayFindings(graph: AnyGraph, cli: Cli): void {
  const paint = errPaint(cli);
  for (const { level, node, message } of graph.plan.findings) {
    if (level !== "info")
      say(cli, `${paint(`${level}:`, level === "error" ? "bad" : "warn")} ${node === "" ? "" : `${node}: `}${message}`);
  }
}
