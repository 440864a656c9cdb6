/** Graphs of definitions as graphs of LangGraph.js. */
import { RunnableLambda } from "@langchain/core/runnables";
import {
  Annotation,
  END,
  START,
  StateGraph,
  type CompiledStateGraph,
  type LangGraphRunnableConfig,
} from "@langchain/langgraph";
import type { FieldDefinition, GraphDefinition, NodeDefinition, Rule, SubgraphNode } from "../format/definition.ts";
import type { Json } from "../format/json.ts";
import { decide, fixedEntries, reachableBy, reachableFrom } from "../interpreter/branch.ts";
import { evaluate, mapRecord } from "../interpreter/expression.ts";
import { reducerOf } from "../interpreter/reducers.ts";
import { bodyOf } from "./body.ts";
import type { Recording } from "./recording.ts";

type State = Record<string, unknown>;

/** The builder without the types of one particular graph, which data cannot have. */
interface Builder {
  addNode(name: string, node: unknown, options: object): unknown;
  addEdge(from: string | string[], to: string): unknown;
  addConditionalEdges(from: string, pick: unknown, targets: string[]): unknown;
  compile(options: object): Compiled;
}

export type Compiled = Pick<
  CompiledStateGraph<State, State>,
  "stream" | "invoke" | "getState" | "getStateHistory" | "updateState"
>;

/** `outer`: options of the outermost graph, which has the checkpointer. */
export function graphOf(definition: GraphDefinition, recording: Recording, path = "", outer: object = {}): Compiled {
  const schema = Annotation.Root(mapRecord(definition.fields, channelOf) as never);
  const builder = new StateGraph(schema as never) as unknown as Builder;
  for (const [name, node] of Object.entries(definition.nodes))
    builder.addNode(name, runnableOf(`${path}${name}`, node, recording), optionsOf(node));
  addEntry(builder, definition);
  for (const [from, to] of definition.edges ?? []) builder.addEdge(from, nameOf(to));
  for (const { from, to } of definition.joins ?? []) builder.addEdge([...from], nameOf(to));
  for (const [at, { from, rules }] of (definition.branches ?? []).entries()) addBranch(builder, from, rules, at);
  return builder.compile({ ...pausesOf(definition), ...outer });
}

function pausesOf({ breakpoints: { before = [], after = [] } = {} }: GraphDefinition): object {
  return { interruptBefore: before, interruptAfter: after };
}

function channelOf(field: FieldDefinition): unknown {
  const { init, reduce } = reducerOf(field);
  if (field.reducer === "last" && init === undefined) return Annotation<Json>();
  // A field with a default of its own must say how it is reduced; only `last` says that it may be written once a superstep.
  if (field.reducer === "last") return Annotation<Json>({ value: reduce, default: () => init } as never);
  return Annotation<Json>({ reducer: reduce, default: () => init as Json } as never);
}

function runnableOf(path: string, node: NodeDefinition, recording: Recording): unknown {
  if ("do" in node) return bodyOf(path, node, recording);
  const inner = graphOf(node.subgraph, recording, `${path}/`);
  return node.enter === undefined ? inner : mapped(inner, node);
}

/** A subgraph with fields of its own is called by a body. */
function mapped(inner: Compiled, { enter = {}, leave = {} }: SubgraphNode): unknown {
  return async (state: State, config: LangGraphRunnableConfig): Promise<State> => {
    const entered = mapRecord(enter, (part) => evaluate(part, { state, names: {} }));
    const left = (await inner.invoke(entered, config as never)) as State;
    return mapRecord(leave, (part) => evaluate(part, { state: left, names: {} }));
  };
}

function optionsOf(node: NodeDefinition): object {
  const retry = "do" in node ? node.retry : undefined;
  return {
    ...(node.deferred && { defer: true }),
    ...("do" in node && { ends: reachableFrom(node.do).map(nameOf) }),
    ...(retry && {
      retryPolicy: {
        maxAttempts: retry.attempts,
        initialInterval: 1,
        backoffFactor: 1,
        jitter: false,
        logWarning: false,
      },
    }),
  };
}

function addEntry(builder: Builder, definition: GraphDefinition): void {
  const entries = fixedEntries(definition);
  for (const entry of entries ?? []) builder.addEdge(START, entry);
  if (entries === undefined) addBranch(builder, START, (definition.entry as { readonly rules: readonly Rule[] }).rules);
}

/** `at`: branches of one node must differ in name. */
function addBranch(builder: Builder, from: string, rules: readonly Rule[], at = 0): void {
  const pick = (state: State): string[] => {
    const names = decide(rules, state).map(nameOf);
    return names.length === 0 ? [END] : names;
  };
  const branch = RunnableLambda.from(pick);
  branch.name = `branch${at}`;
  builder.addConditionalEdges(from, branch, [...new Set([...reachableBy(rules).map(nameOf), END])]);
}

function nameOf(node: string): string {
  return node === "END" ? END : node;
}
