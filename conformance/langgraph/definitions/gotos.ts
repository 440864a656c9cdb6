import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Goto: where bodies go. */
export const gotos: readonly Definition[] = [
  {
    name: "goto_several",
    about: "A body goes to two nodes at once.",
    graph: {
      fields: { n, log },
      nodes: {
        route: {
          do: [
            { write: { log: "route" } },
            { if: { less: [3, { get: "n" }] }, do: [{ goto: ["also", "big"] }], else: [{ goto: "small" }] },
          ],
        },
        also: { do: [{ write: { log: "also" } }] },
        big: { do: [{ write: { log: "big" } }] },
        small: { do: [{ write: { log: "small" } }] },
      },
      entry: "route",
    },
    script: [{ run: { n: 5 } }],
  },
  {
    name: "goto_beside_edge",
    about: "A body goes elsewhere than the edge of its node.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }, { goto: "elsewhere" }] },
        by_edge: { do: [{ write: { log: "by_edge" } }] },
        elsewhere: { do: [{ write: { log: "elsewhere" } }] },
      },
      entry: "a",
      edges: [
        ["a", "by_edge"],
        ["by_edge", "END"],
        ["elsewhere", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "goto_where_the_edge_leads",
    about: "A body goes where the edge of its node leads anyway: the target runs once.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }, { goto: "b" }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "goto_end",
    about: "A body goes to the end though its node has an edge.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }, { goto: "END" }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "goto_loop",
    about: "Two bodies hand over to each other by goto until one ends it.",
    graph: {
      fields: { n, log },
      nodes: {
        think: {
          do: [
            { write: { log: "think" } },
            { if: { less: [{ get: "n" }, 2] }, do: [{ goto: "tools" }], else: [{ goto: "END" }] },
          ],
        },
        tools: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: "tools" } }, { goto: "think" }] },
      },
      entry: "think",
    },
    script: [{ run: { n: 0 } }],
  },
  {
    name: "goto_without_write",
    about: "A body that only goes somewhere.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ goto: "b" }] }, b: { do: [{ write: { log: "b" } }] } },
      entry: "a",
    },
    script: [{ run: {} }],
  },
  {
    name: "goto_two_to_one",
    about: "Two bodies of one superstep go to the same node: it runs once.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ goto: "c" }] },
        b: { do: [{ goto: "c" }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: ["a", "b"],
    },
    script: [{ run: {} }],
  },
];
