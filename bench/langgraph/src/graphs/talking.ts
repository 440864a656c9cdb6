/** A conversation: each turn adds what was said to a list, and a node counts it. */
import { Annotation, END, START, StateGraph, type BaseCheckpointSaver } from "@langchain/langgraph";
import * as millrace from "../../../../packages/core/src/index.ts";

export interface Talk {
  readonly said: readonly string[];
  readonly heard: number;
}

export function ourTalking(): millrace.Graph<{ readonly said?: string }, Talk> {
  return millrace
    .stateGraph("talk", { state: { said: millrace.append<string>(), heard: millrace.last(0) }, nodes: ["count"] })
    .node("count", ({ said }, to) => to.write({ heard: said.length }))
    .edge("count", millrace.END)
    .compile();
}

const State = Annotation.Root({
  said: Annotation<string[], string>({ reducer: (before, text) => [...before, text], default: () => [] }),
  heard: Annotation<number>({ reducer: (_before, heard) => heard, default: () => 0 }),
});

export function theirTalking(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(State)
    .addNode("count", ({ said }) => ({ heard: said.length }))
    .addEdge(START, "count")
    .addEdge("count", END)
    .compile({ checkpointer });
}
