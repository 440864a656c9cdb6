import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Lines, fan-outs, joins and diamonds: what edges alone lead to. */
export const edges: readonly Definition[] = [
  {
    name: "line",
    about: "Three nodes one after the other each read what the one before wrote.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: "a" } }] },
        b: { do: [{ write: { n: { product: [{ get: "n" }, 10] }, log: "b" } }] },
        c: { do: [{ write: { n: { sum: [{ get: "n" }, -3] }, log: "c" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "c"],
        ["c", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "single_node",
    about: "One node: the smallest graph has three checkpoints.",
    graph: {
      fields: { n },
      nodes: { only: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "only",
      edges: [["only", "END"]],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "line_of_silent_nodes",
    about: "A node that writes nothing still has its superstep and its checkpoint.",
    graph: {
      fields: { n },
      nodes: { a: { do: [] }, b: { do: [] } },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "several_writes",
    about: "Several writes of one body fold in order.",
    graph: {
      fields: { log, total: { reducer: "add" } },
      nodes: {
        a: { do: [{ write: { log: "a1", total: 1 } }, { write: { log: "a2", total: 10 } }, { write: { log: "a3" } }] },
      },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: { total: 100 } }],
  },
  {
    name: "fan_out",
    about:
      "Three nodes of one superstep finish in the reverse order of being queued; their updates fold in the order queued.",
    graph: {
      fields: { n, log, total: { reducer: "add" } },
      nodes: {
        src: { do: [{ write: { log: "src" } }] },
        a_slow: { do: [{ delay: 40 }, { write: { log: "a_slow", total: { product: [{ get: "n" }, 1] } } }] },
        b_mid: { do: [{ delay: 20 }, { write: { log: "b_mid", total: { product: [{ get: "n" }, 10] } } }] },
        c_fast: { do: [{ write: { log: "c_fast", total: { product: [{ get: "n" }, 100] } } }] },
      },
      entry: "src",
      edges: [
        ["src", "a_slow"],
        ["src", "b_mid"],
        ["src", "c_fast"],
        ["a_slow", "END"],
        ["b_mid", "END"],
        ["c_fast", "END"],
      ],
    },
    script: [{ run: { n: 2 } }],
  },
  {
    name: "fan_out_not_alphabetical",
    about: "The order of folding when nodes are queued in another order than that of their names.",
    graph: {
      fields: { log },
      nodes: {
        z: { do: [{ write: { log: "z" } }] },
        m: { do: [{ write: { log: "m" } }] },
        a: { do: [{ write: { log: "a" } }] },
      },
      entry: ["z", "m", "a"],
      edges: [
        ["z", "END"],
        ["m", "END"],
        ["a", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "fan_out_fan_in",
    about: "Two nodes of one superstep both lead to a third, which runs once.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: { text: ["c after ", { length: { get: "log" } }] } } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["a", "c"],
        ["b", "c"],
        ["c", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "reducers",
    about: "Every reducer, with two writers in one superstep and an input.",
    graph: {
      fields: {
        total: { reducer: "add" },
        most: { reducer: "max" },
        notes: { reducer: "merge" },
        log,
        status: { reducer: "last", init: "new" },
      },
      nodes: {
        a: { do: [{ write: { total: 1, most: 7, notes: { record: { x: "a", only: "a" } }, log: "a" } }] },
        b: { do: [{ write: { total: 20, most: 3, notes: { record: { x: "b" } }, log: { record: { by: "b" } } } }] },
        c: { do: [{ write: { status: { text: [{ get: "status" }, ", then done"] } } }] },
      },
      entry: ["a", "b"],
      joins: [{ from: ["a", "b"], to: "c" }],
      edges: [["c", "END"]],
    },
    script: [{ run: { total: 300, most: 5, notes: { x: "in", kept: true }, log: "in" } }],
  },
  {
    name: "join_same_step",
    about: "A join whose sources run in one superstep.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ delay: 15 }, { write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: ["a", "b"],
      joins: [{ from: ["a", "b"], to: "c" }],
      edges: [["c", "END"]],
    },
    script: [{ run: {} }],
  },
  {
    name: "diamond_join",
    about: "Arms of different length into a join: it runs once, when both have come.",
    graph: {
      fields: { n, log },
      nodes: {
        top: { do: [{ write: { log: "top" } }] },
        left: { do: [{ write: { log: "left" } }] },
        right1: { do: [{ write: { log: "right1" } }] },
        right2: { do: [{ write: { log: "right2" } }] },
        tail: { do: [{ write: { n: { length: { get: "log" } }, log: "tail" } }] },
      },
      entry: "top",
      edges: [
        ["top", "left"],
        ["top", "right1"],
        ["right1", "right2"],
        ["tail", "END"],
      ],
      joins: [{ from: ["left", "right2"], to: "tail" }],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "diamond_two_edges",
    about: "The same arms into plain edges: the last node runs twice.",
    graph: {
      fields: { n, log },
      nodes: {
        top: { do: [{ write: { log: "top" } }] },
        bottom: { do: [{ write: { n: { length: { get: "log" } }, log: "bottom" } }] },
        left: { do: [{ write: { log: "left" } }] },
        right1: { do: [{ write: { log: "right1" } }] },
        right2: { do: [{ write: { log: "right2" } }] },
      },
      entry: "top",
      edges: [
        ["top", "left"],
        ["top", "right1"],
        ["right1", "right2"],
        ["left", "bottom"],
        ["right2", "bottom"],
        ["bottom", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "diamond_deferred",
    about: "The same edges with the last node deferred: it runs once, when nothing else is queued.",
    graph: {
      fields: { n, log },
      nodes: {
        top: { do: [{ write: { log: "top" } }] },
        left: { do: [{ write: { log: "left" } }] },
        right1: { do: [{ write: { log: "right1" } }] },
        right2: { do: [{ write: { log: "right2" } }] },
        tail: { deferred: true, do: [{ write: { n: { length: { get: "log" } }, log: "tail" } }] },
      },
      entry: "top",
      edges: [
        ["top", "left"],
        ["top", "right1"],
        ["right1", "right2"],
        ["left", "tail"],
        ["right2", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "unknown_field",
    about: "An update of a field that the state has not.",
    graph: {
      fields: { n },
      nodes: { a: { do: [{ write: { n: 2, misspelt: 3 } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: { n: 1 } }],
  },
];
