import type { Definition, FieldDefinition, GraphDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Asks with a schema of its own. */
const asking: GraphDefinition = {
  fields: { x: { reducer: "last" }, reply: { reducer: "last" } },
  nodes: {
    before: { do: [{ write: { x: { sum: [{ get: "x" }, 1] } } }] },
    ask: {
      do: [{ ask: { text: ["x=", { get: "x" }, "?"] }, as: "v" }, { write: { reply: { use: "v" } } }],
    },
    after: { do: [{ write: { x: { sum: [{ get: "x" }, 100] } } }] },
  },
  entry: "before",
  edges: [
    ["before", "ask"],
    ["ask", "after"],
    ["after", "END"],
  ],
};

/** Subgraphs that ask, fail or pause. */
export const waitingSubgraphs: readonly Definition[] = [
  {
    name: "sub_mapped_asks",
    about: "A subgraph with fields of its own asks; after the answer its finished nodes are not run again.",
    graph: {
      fields: { n, reply: { reducer: "last" }, log },
      nodes: {
        pre: { do: [{ write: { log: "pre" } }] },
        sub: { subgraph: asking, enter: { x: { get: "n" } }, leave: { n: { get: "x" }, reply: { get: "reply" } } },
        post: { do: [{ write: { log: { text: [{ get: "reply" }, " ", { get: "n" }] } } }] },
      },
      entry: "pre",
      edges: [
        ["pre", "sub"],
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "yes" }],
  },
  {
    name: "sub_shared_asks",
    about: "A subgraph with shared fields asks.",
    graph: {
      fields: { n, reply: { reducer: "last" } },
      nodes: {
        pre: { do: [{ write: { n: 2 } }] },
        sub: {
          subgraph: {
            fields: { n, reply: { reducer: "last" } },
            nodes: {
              c1: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] },
              c2: { do: [{ ask: "child?", as: "v" }, { write: { reply: { use: "v" } } }] },
            },
            entry: "c1",
            edges: [
              ["c1", "c2"],
              ["c2", "END"],
            ],
          },
        },
        post: { do: [{ write: { n: { product: [{ get: "n" }, 10] } } }] },
      },
      entry: "pre",
      edges: [
        ["pre", "sub"],
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "go" }],
  },
  {
    name: "sub_fails_then_proceeds",
    about: "A node of a subgraph fails; going on does not run its finished nodes again.",
    graph: {
      fields: { n },
      nodes: {
        sub: {
          subgraph: {
            fields: { n },
            nodes: {
              c1: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] },
              c2: { do: [{ throw: "boom", entries: [1] }, { write: { n: { product: [{ get: "n" }, 10] } } }] },
            },
            entry: "c1",
            edges: [
              ["c1", "c2"],
              ["c2", "END"],
            ],
          },
        },
        post: { do: [{ write: { n: { sum: [{ get: "n" }, 5] } } }] },
      },
      entry: "sub",
      edges: [
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { proceed: true }],
  },
  {
    name: "sub_two_ask",
    about: "Two subgraphs in one superstep ask, and are answered in the reverse order.",
    graph: {
      fields: { n, left: { reducer: "last" }, right: { reducer: "last" } },
      nodes: {
        a: { subgraph: asking, enter: { x: 10 }, leave: { left: { get: "reply" } } },
        b: { subgraph: asking, enter: { x: 20 }, leave: { right: { get: "reply" } } },
      },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "for b", to: "x=21?" }, { answer: "for a", to: "x=11?" }],
  },
  {
    name: "sub_in_sub_asks",
    about: "A subgraph within a subgraph asks.",
    graph: {
      fields: { n, reply: { reducer: "last" } },
      nodes: {
        outer: {
          subgraph: {
            fields: { y: { reducer: "last" }, reply: { reducer: "last" } },
            nodes: {
              mid: { do: [{ write: { y: { sum: [{ get: "y" }, 1] } } }] },
              inner: {
                subgraph: asking,
                enter: { x: { get: "y" } },
                leave: { y: { get: "x" }, reply: { get: "reply" } },
              },
            },
            entry: "mid",
            edges: [
              ["mid", "inner"],
              ["inner", "END"],
            ],
          },
          enter: { y: { get: "n" } },
          leave: { n: { get: "y" }, reply: { get: "reply" } },
        },
      },
      entry: "outer",
      edges: [["outer", "END"]],
    },
    script: [{ run: { n: 1 } }, { answer: "deep" }],
  },
  {
    name: "sub_with_breakpoint",
    about: "A static breakpoint within a subgraph pauses the whole run.",
    graph: {
      fields: { n },
      nodes: {
        sub: {
          subgraph: {
            fields: { n },
            nodes: {
              c1: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] },
              c2: { do: [{ write: { n: { product: [{ get: "n" }, 10] } } }] },
            },
            entry: "c1",
            edges: [
              ["c1", "c2"],
              ["c2", "END"],
            ],
            breakpoints: { before: ["c2"] },
          },
        },
        post: { do: [{ write: { n: { sum: [{ get: "n" }, 5] } } }] },
      },
      entry: "sub",
      edges: [
        ["sub", "post"],
        ["post", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { proceed: true }],
  },
];
