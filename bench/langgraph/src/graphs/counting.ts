/** Supersteps that do nothing but add 1: a chain of nodes, and one node that a branch leads back to. */
import { Annotation, END, START, StateGraph, type BaseCheckpointSaver } from "@langchain/langgraph";
import * as millrace from "../../../../packages/core/src/index.ts";

export interface Count {
  readonly n: number;
}

/** May hold up or fail the superstep that comes to `n`. */
export type Hold = (n: number) => Promise<void> | undefined;

const free: Hold = () => undefined;

/** `pure`: under `async` durability such nodes, and no others, run ahead of the journal. */
type Effect = "pure" | "idempotent";

export function ourChain(
  length: number,
  hold: Hold = free,
  effect: Effect = "idempotent",
): millrace.Graph<{ readonly n?: number }, Count> {
  const names = Array.from({ length }, (_, at) => `s${at}`);
  const graph = millrace.stateGraph("chain", { state: { n: millrace.last(0) }, nodes: names });
  for (const [at, name] of names.entries()) {
    graph.node(
      name,
      ({ n }, to) => {
        const held = hold(n + 1);
        return held === undefined ? to.write({ n: n + 1 }) : held.then(() => to.write({ n: n + 1 }));
      },
      { effect },
    );
    graph.edge(name, names[at + 1] ?? millrace.END);
  }
  return graph.entry(names[0]!).compile({ limit: length } as never);
}

export function ourLoop(
  length: number,
  hold: Hold = free,
  effect: Effect = "idempotent",
): millrace.Graph<{ readonly n?: number }, Count> {
  return millrace
    .stateGraph("loop", { state: { n: millrace.last(0) }, nodes: ["add"] })
    .node(
      "add",
      ({ n }, to) => {
        const held = hold(n + 1);
        return held === undefined ? to.write({ n: n + 1 }) : held.then(() => to.write({ n: n + 1 }));
      },
      { effect },
    )
    .branch("add", ({ n }) => (n < length ? "add" : millrace.END))
    .compile({ limit: length });
}

const State = Annotation.Root({ n: Annotation<number>({ reducer: (_before, n) => n, default: () => 0 }) });

function addOne(hold: Hold): (state: Count) => Count | Promise<Count> {
  return ({ n }) => {
    const held = hold(n + 1);
    return held === undefined ? { n: n + 1 } : held.then(() => ({ n: n + 1 }));
  };
}

export function theirChain(length: number, checkpointer?: BaseCheckpointSaver, hold: Hold = free) {
  const names = Array.from({ length }, (_, at) => `s${at}`);
  const graph = new StateGraph(State).addNode(Object.fromEntries(names.map((name) => [name, addOne(hold)])));
  graph.addEdge(START, names[0]!);
  for (const [at, name] of names.entries()) graph.addEdge(name, names[at + 1] ?? END);
  return graph.compile({ ...(checkpointer !== undefined && { checkpointer }) });
}

export function theirLoop(length: number, checkpointer?: BaseCheckpointSaver, hold: Hold = free) {
  return new StateGraph(State)
    .addNode("add", addOne(hold))
    .addEdge(START, "add")
    .addConditionalEdges("add", ({ n }) => (n < length ? "add" : END))
    .compile({ ...(checkpointer !== undefined && { checkpointer }) });
}
