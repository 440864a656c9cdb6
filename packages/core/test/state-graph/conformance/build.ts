/** Graphs of definitions as state graphs of Millrace. */
import { z } from "zod";
import { append, END, START, stateGraph, type Reducer, type StateGraph } from "../../../src/index.ts";
import type {
  BodyNode,
  FieldDefinition,
  GraphDefinition,
  NodeDefinition,
  SubgraphNode,
} from "../../../../../conformance/langgraph/format/definition.ts";
import type { Json } from "../../../../../conformance/langgraph/format/json.ts";
import { stepsOf, type Step } from "../../../../../conformance/langgraph/interpreter/body.ts";
import {
  decide,
  fixedEntries,
  reachableBy,
  reachableFrom,
} from "../../../../../conformance/langgraph/interpreter/branch.ts";
import { evaluate, mapRecord } from "../../../../../conformance/langgraph/interpreter/expression.ts";
import { reducerOf } from "../../../../../conformance/langgraph/interpreter/reducers.ts";

export type State = Readonly<Record<string, unknown>>;

/** How often bodies were entered, by path. */
export type Entered = Record<string, number>;

type Target = string | typeof END;

/** A builder without the types of one particular graph, which data cannot have. */
interface Builder {
  node(name: string, body: Body, options: object): unknown;
  routed(name: string, to: readonly Target[], body: Body, options: object): unknown;
  subgraph(name: string, graph: StateGraph<State, State>, maps: object): unknown;
  entry(...names: readonly string[]): unknown;
  edge(from: string, to: Target): unknown;
  join(from: readonly string[], to: string): unknown;
  branch(from: string | typeof START, pick: (state: State) => readonly Target[], targets: readonly Target[]): unknown;
  compile(options: object): StateGraph<State, State>;
}

interface Maker {
  write(update: State): unknown;
  goto(node: Target): unknown;
  send(node: string, state: State): unknown;
  interrupt(question: string, payload: unknown): unknown;
}

type Body = (state: State, to: Maker, run: TaskRun) => Promise<unknown>;

interface TaskRun {
  answers(question: string): readonly Json[];
  emit(name: string, value: unknown): void;
}

export function graphOf(
  name: string,
  definition: GraphDefinition,
  entered: Entered,
  path = "",
): StateGraph<State, State> {
  const builder = stateGraph(name, {
    state: mapRecord(definition.fields, reducer),
    nodes: Object.keys(definition.nodes),
  }) as unknown as Builder;
  for (const [node, behaviour] of Object.entries(definition.nodes)) addNode(builder, node, behaviour, entered, path);
  addEntry(builder, definition);
  const { edges = [], joins = [], branches = [], breakpoints: { before = [], after = [] } = {} } = definition;
  for (const [from, to] of edges) builder.edge(from, target(to));
  for (const { from, to } of joins) builder.join(from, to);
  for (const { from, rules } of branches) addBranch(builder, from, rules as never);
  return builder.compile({ pauseBefore: before, pauseAfter: after });
}

function addEntry(builder: Builder, definition: GraphDefinition): void {
  const entries = fixedEntries(definition);
  if (entries !== undefined) builder.entry(...entries);
  else addBranch(builder, START, (definition.entry as { rules: never }).rules);
}

function reducer(field: FieldDefinition): Reducer<unknown, unknown> {
  if (field.reducer === "append") return append<unknown>();
  return reducerOf(field);
}

function target(name: string): Target {
  return name === "END" ? END : name;
}

function addBranch(builder: Builder, from: string | typeof START, rules: never): void {
  builder.branch(from, (state) => decide(rules, state).map(target), [...reachableBy(rules).map(target), END]);
}

function addNode(builder: Builder, name: string, node: NodeDefinition, entered: Entered, path: string): void {
  if (!("do" in node)) return addSubgraph(builder, name, node, entered, path);
  const options = {
    asks: { question: { answer: z.any() } },
    ...(node.deferred && { defer: true }),
    ...(node.retry && {
      retry: { attempts: node.retry.attempts, initial: 1, factor: 1, jitter: "none", on: () => true },
    }),
  };
  const body = bodyOf(node, `${path}${name}`, entered);
  const targets = reachableFrom(node.do).map(target);
  if (targets.length === 0) builder.node(name, body, options);
  else builder.routed(name, [...targets, END], body, options);
}

function addSubgraph(builder: Builder, name: string, node: SubgraphNode, entered: Entered, path: string): void {
  const inner = graphOf(name, node.subgraph, entered, `${path}${name}/`);
  const map = (expressions: SubgraphNode["enter"]) => (state: State) =>
    expressions === undefined ? state : mapRecord(expressions, (part) => evaluate(part, { state, names: {} }));
  builder.subgraph(name, inner, { enter: map(node.enter), leave: map(node.leave) });
}

function bodyOf(node: BodyNode, path: string, entered: Entered): Body {
  return async (state, to, run) => {
    const entry = (entered[path] ?? 0) + 1;
    entered[path] = entry;
    const given: unknown[] = [];
    for (const step of stepsOf(node.do, { state, answers: run.answers("question"), entry })) {
      if (step.kind === "delay") await new Promise((resolve) => setTimeout(resolve, step.milliseconds));
      else if (step.kind === "throw") throw new Error(step.message);
      // What was done before a question is done again behind it, as in LangGraph.
      else if (step.kind === "interrupt") return [to.interrupt("question", step.payload)];
      else if (step.kind === "emit") run.emit("custom", step.data);
      else given.push(...asSteps(step, to));
    }
    return given;
  };
}

function asSteps(
  step: Exclude<Step, { kind: "delay" | "throw" | "interrupt" | "emit" }>,
  to: Maker,
): readonly unknown[] {
  if (step.kind === "write") return [to.write(step.update)];
  if (step.kind === "goto") return [to.goto(target(step.to))];
  return [to.send(step.to, step.state)];
}
