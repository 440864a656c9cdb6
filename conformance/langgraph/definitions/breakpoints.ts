import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Static breakpoints. */
export const breakpoints: readonly Definition[] = [
  {
    name: "break_before",
    about: "A static breakpoint before a node.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
      breakpoints: { before: ["b"] },
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "break_before_entry",
    about: "A static breakpoint before the first node.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] } },
      entry: "a",
      edges: [["a", "END"]],
      breakpoints: { before: ["a"] },
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "break_after",
    about: "A static breakpoint after a node, and after the last one.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
      breakpoints: { after: ["a", "b"] },
    },
    script: [{ run: {} }, { proceed: true }, { proceed: true }],
  },
  {
    name: "break_before_one_of_two",
    about: "A breakpoint before one of two nodes of a superstep holds both.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
      breakpoints: { before: ["b"] },
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "break_in_cycle",
    about: "A breakpoint in a cycle pauses in every round.",
    graph: {
      fields: { n },
      nodes: { inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "inc",
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 2] }, to: "inc" }, { to: "END" }] }],
      breakpoints: { before: ["inc"] },
    },
    script: [{ run: { n: 0 } }, { proceed: true }, { proceed: true }],
  },
  {
    name: "break_and_update",
    about: "The state is changed at a breakpoint, before the node that the run paused at.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: { text: ["b saw ", { get: "n" }] } } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
      breakpoints: { before: ["b"] },
    },
    script: [{ run: { n: 1 } }, { update: { n: 7 } }, { proceed: true }],
  },
  {
    name: "break_and_run",
    about: "An input to a thread that is paused at a breakpoint.",
    graph: {
      fields: { n, log },
      nodes: { a: { do: [{ write: { log: "a" } }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
      breakpoints: { before: ["b"] },
    },
    script: [{ run: { n: 1 } }, { run: { n: 2 } }, { proceed: true }],
  },
];
