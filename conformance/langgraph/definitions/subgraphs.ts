import type { Definition, FieldDefinition, GraphDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Doubles `x` twice, under a schema of its own. */
const doubling: GraphDefinition = {
  fields: { x: { reducer: "last" }, trace: log },
  nodes: {
    first: { do: [{ write: { x: { product: [{ get: "x" }, 2] }, trace: "first" } }] },
    second: { do: [{ write: { x: { product: [{ get: "x" }, 2] }, trace: "second" } }] },
  },
  entry: "first",
  edges: [
    ["first", "second"],
    ["second", "END"],
  ],
};

const bothWays = {
  enter: { x: { get: "n" } },
  leave: { n: { get: "x" }, log: { get: "trace" } },
} as const;

/** Graphs as nodes of graphs, with shared fields and with fields of their own. */
export const subgraphs: readonly Definition[] = [
  {
    name: "sub_mapped",
    about: "A subgraph with fields of its own, entered and left by expressions.",
    graph: {
      fields: { n, log },
      nodes: {
        pre: { do: [{ write: { log: "pre" } }] },
        sub: { subgraph: doubling, ...bothWays },
        post: { do: [{ write: { log: { text: ["post ", { get: "n" }] } } }] },
      },
      entry: "pre",
      edges: [
        ["pre", "sub"],
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 3 } }],
  },
  {
    name: "sub_shared",
    about: "A subgraph that shares a field that keeps its last update.",
    graph: {
      fields: { n },
      nodes: {
        pre: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] },
        sub: {
          subgraph: {
            fields: { n },
            nodes: {
              c1: { do: [{ write: { n: { product: [{ get: "n" }, 10] } } }] },
              c2: { do: [{ write: { n: { sum: [{ get: "n" }, 5] } } }] },
            },
            entry: "c1",
            edges: [
              ["c1", "c2"],
              ["c2", "END"],
            ],
          },
        },
        post: { do: [{ write: { n: { product: [{ get: "n" }, 2] } } }] },
      },
      entry: "pre",
      edges: [
        ["pre", "sub"],
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "sub_shared_sum",
    about: "A subgraph that shares a sum: what it was given comes back with what it added.",
    graph: {
      fields: { total: { reducer: "add" } },
      nodes: {
        pre: { do: [{ write: { total: 1 } }] },
        sub: {
          subgraph: {
            fields: { total: { reducer: "add" } },
            nodes: { c1: { do: [{ write: { total: 10 } }] } },
            entry: "c1",
            edges: [["c1", "END"]],
          },
        },
      },
      entry: "pre",
      edges: [
        ["pre", "sub"],
        ["sub", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "sub_beside_sibling",
    about: "A subgraph of two supersteps is one task of the parent's, beside a sibling.",
    graph: {
      fields: { n, log, twice: { reducer: "last" } },
      nodes: {
        side: { do: [{ write: { log: "side" } }] },
        sub: { subgraph: doubling, enter: { x: { get: "n" } }, leave: { twice: { get: "x" } } },
        tail: { do: [{ write: { log: { text: ["twice=", { get: "twice" }] } } }] },
      },
      entry: ["side", "sub"],
      joins: [{ from: ["side", "sub"], to: "tail" }],
      edges: [["tail", "END"]],
    },
    script: [{ run: { n: 3 } }],
  },
  {
    name: "sub_in_sub",
    about: "A subgraph within a subgraph.",
    graph: {
      fields: { n, log },
      nodes: {
        outer: {
          subgraph: {
            fields: { y: { reducer: "last" } },
            nodes: {
              mid: { do: [{ write: { y: { sum: [{ get: "y" }, 1] } } }] },
              inner: { subgraph: doubling, enter: { x: { get: "y" } }, leave: { y: { get: "x" } } },
            },
            entry: "mid",
            edges: [
              ["mid", "inner"],
              ["inner", "END"],
            ],
          },
          enter: { y: { get: "n" } },
          leave: { n: { get: "y" } },
        },
      },
      entry: "outer",
      edges: [["outer", "END"]],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "sub_in_cycle",
    about: "A subgraph in a cycle begins anew in every round.",
    graph: {
      fields: { n, log },
      nodes: { sub: { subgraph: doubling, ...bothWays } },
      entry: "sub",
      branches: [{ from: "sub", rules: [{ when: { less: [{ get: "n" }, 40] }, to: "sub" }, { to: "END" }] }],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "sub_two_turns",
    about: "A subgraph begins anew in every turn of the thread.",
    graph: {
      fields: { n, log },
      nodes: { sub: { subgraph: doubling, ...bothWays } },
      entry: "sub",
      edges: [["sub", "END"]],
    },
    script: [{ run: { n: 1 } }, { run: { n: 5 } }],
  },
  {
    name: "sub_sent",
    about: "A subgraph is sent twice with states of its own.",
    graph: {
      fields: { x: { reducer: "last" }, log },
      nodes: {
        plan: { do: [{ send: "sub", each: { list: [1, 5] }, with: { x: { use: "item" } } }] },
        sub: { subgraph: doubling, enter: { x: { get: "x" } }, leave: { log: { get: "x" } } },
      },
      entry: "plan",
    },
    script: [{ run: {} }],
  },
];
