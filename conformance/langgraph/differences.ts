/** Where Millrace deliberately does otherwise than LangGraph.js. `Definition.ours` says by these names where it shows. */
export interface Difference {
  readonly langgraph: string;
  readonly millrace: string;
  readonly reason: string;
}

export const differences: Readonly<Record<string, Difference>> = {
  "fold order": {
    langgraph: "Tasks of one superstep are folded in alphabetical order of their nodes' names, sent ones after them.",
    millrace: "They are folded in the order in which they were queued.",
    reason: "Renaming a node must not change what a graph computes.",
  },
};
