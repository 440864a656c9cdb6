/** The graph that `<file#graph>` names. */
import type { Cli } from "../cli.ts";
import { ExitCode } from "../exit.ts";
import { CliFailure } from "../errors/failure.ts";
import { list } from "../format/text.ts";
import { type AnyGraph, isGraph, isOp } from "./graph-shape.ts";
import { type GraphReference, parseGraphReference } from "./graph-reference.ts";
import { loadModule, type Module } from "./load-module.ts";
import { nearest } from "../nearest.ts";

export interface LoadedGraph {
  readonly graph: AnyGraph;
  readonly reference: GraphReference;
}

/** Imports the module and finds the graph by export name, then by declared name, then as the only one there is. */
export async function loadGraph(text: string, cli: Cli): Promise<LoadedGraph> {
  const reference = parseGraphReference(text, cli.cwd);
  const module = await loadModule(reference, cli.cwd);
  return { graph: pickGraph(module, reference), reference };
}

/** The graph that `<file#graph>` names, or without a graph all of the module. */
export async function loadGraphs(text: string, cli: Cli): Promise<readonly AnyGraph[]> {
  const reference = parseGraphReference(text, cli.cwd);
  const module = await loadModule(reference, cli.cwd);
  if (reference.graph !== undefined) return [pickGraph(module, reference)];
  const graphs = unique(graphsOf(module)).map(({ graph }) => graph);
  if (graphs.length === 0) throw unknownGraph([], reference, undefined);
  return graphs;
}

export function pickGraph(module: Module, reference: GraphReference): AnyGraph {
  const graphs = graphsOf(module);
  if (reference.graph === undefined) return onlyGraph(graphs, reference);
  const exported = module[reference.graph];
  if (isGraph(exported)) return exported;
  const declared = unique(graphs.filter(({ graph }) => graph.name === reference.graph));
  if (declared.length === 1) return declared[0]!.graph;
  if (declared.length > 1) throw severalGraphs(declared, reference, `several graphs named ${reference.graph}`);
  throw unknownGraph(graphs, reference, exported);
}

interface NamedGraph {
  readonly exportName: string;
  readonly graph: AnyGraph;
}

function graphsOf(module: Module): NamedGraph[] {
  return Object.keys(module).flatMap((exportName) => {
    const graph = module[exportName];
    return isGraph(graph) ? [{ exportName, graph }] : [];
  });
}

/** One entry per graph, under the first of its names that is not `default`. */
function unique(graphs: readonly NamedGraph[]): NamedGraph[] {
  const named = graphs.toSorted((a, b) => Number(a.exportName === "default") - Number(b.exportName === "default"));
  return named.filter(({ graph }, index) => named.findIndex((other) => other.graph === graph) === index);
}

function onlyGraph(graphs: readonly NamedGraph[], reference: GraphReference): AnyGraph {
  const different = unique(graphs);
  if (different.length === 1) return different[0]!.graph;
  if (different.length === 0) throw unknownGraph(graphs, reference, undefined);
  throw severalGraphs(different, reference, `${different.length} graphs`);
}

function severalGraphs(graphs: readonly NamedGraph[], { file }: GraphReference, what: string): CliFailure {
  const names = graphs.map(({ exportName }) => `${file}#${exportName}`);
  return new CliFailure("GraphAmbiguous", `${file} exports ${what}: say which`, { hint: `one of ${list(names)}` });
}

function unknownGraph(graphs: readonly NamedGraph[], { file, graph }: GraphReference, exported: unknown): CliFailure {
  const names = [...new Set(graphs.flatMap((entry) => [entry.exportName, entry.graph.name]))].filter(
    (name) => name !== "default",
  );
  const what = graph === undefined ? `${file} exports no graph` : `${file} exports no graph ${JSON.stringify(graph)}`;
  const because = exported === undefined ? "" : `: ${graph} is ${isOp(exported) ? "an op" : "something else"}`;
  const near = graph === undefined ? undefined : nearest(graph, names);
  const known =
    graphs.length === 0 ? "export what graph(...) returns" : `it exports ${list(unique(graphs).map(label))}`;
  return new CliFailure("GraphNotFound", what + because, {
    exit: ExitCode.notFound,
    hint: near === undefined ? known : `did you mean ${file}#${near}? ${known}`,
  });
}

function label({ exportName, graph }: NamedGraph): string {
  return exportName === graph.name ? exportName : `${exportName} (named ${graph.name})`;
}
