/** A branch sends to one node many times, each with a state of its own; what they write to a list is summed up. */
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";
import * as millrace from "../../../../packages/core/src/index.ts";

export interface Sums {
  readonly sum: number;
}

export function ourSending(width: number): millrace.Graph<object, Sums> {
  return millrace
    .stateGraph("sending", {
      state: { squares: millrace.append<number>(), sum: millrace.last(0) },
      nodes: ["square", "sum"],
    })
    .node("square", ({ i }: { i: number }, to) => to.write({ squares: i * i }))
    .node("sum", ({ squares }, to) => to.write({ sum: squares.reduce((sum, square) => sum + square, 0) }))
    .branch(millrace.START, (_, to) => Array.from({ length: width }, (_, i) => to.send("square", { i })), ["square"])
    .edge("square", "sum")
    .edge("sum", millrace.END)
    .compile();
}

const State = Annotation.Root({
  squares: Annotation<number[]>({ reducer: (before, more) => before.concat(more), default: () => [] }),
  sum: Annotation<number>({ reducer: (_before, sum) => sum, default: () => 0 }),
});

export function theirSending(width: number) {
  return new StateGraph(State)
    .addNode("square", ({ i }: { i: number }) => ({ squares: [i * i] }))
    .addNode("add", ({ squares }) => ({ sum: squares.reduce((sum, square) => sum + square, 0) }))
    .addConditionalEdges(START, () => Array.from({ length: width }, (_, i) => new Send("square", { i })), ["square"])
    .addEdge("square", "add")
    .addEdge("add", END)
    .compile();
}
