import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Cycles and branches: where the state leads. */
export const routes: readonly Definition[] = [
  {
    name: "cycle",
    about: "A branch leads back until the state says otherwise.",
    graph: {
      fields: { n, log },
      nodes: {
        inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: { text: ["inc", { get: "n" }] } } }] },
        done: { do: [{ write: { log: "done" } }] },
      },
      entry: "inc",
      edges: [["done", "END"]],
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 3] }, to: "inc" }, { to: "done" }] }],
    },
    script: [{ run: { n: 0 } }],
  },
  {
    name: "cycle_limit",
    about: "An endless cycle ends at the limit of supersteps, loudly.",
    graph: {
      fields: { n },
      nodes: { inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "inc",
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 100] }, to: "inc" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 }, limit: 4 }],
  },
  {
    name: "cycle_limit_default",
    about: "Without a limit of its own, a run ends after 25 supersteps.",
    graph: {
      fields: { n },
      nodes: { inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "inc",
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 100] }, to: "inc" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 } }],
  },
  {
    name: "cycle_done_at_limit",
    about: "A run that has nothing left to do after as many supersteps as the limit allows has not reached it.",
    graph: {
      fields: { n },
      nodes: { inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "inc",
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 3] }, to: "inc" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 }, limit: 3 }],
  },
  {
    name: "cycle_limit_then_on",
    about: "After the limit the thread goes on where it was, with a limit of its own for each call.",
    graph: {
      fields: { n },
      nodes: { inc: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }] } },
      entry: "inc",
      branches: [{ from: "inc", rules: [{ when: { less: [{ get: "n" }, 5] }, to: "inc" }, { to: "END" }] }],
    },
    script: [
      { run: { n: 0 }, limit: 2 },
      { proceed: true, limit: 2 },
      { proceed: true, limit: 2 },
    ],
  },
  {
    name: "two_cycles",
    about: "Two cycles of different length turn beside each other.",
    graph: {
      fields: { a: { reducer: "add" }, b: { reducer: "add" }, log },
      nodes: {
        inc_a: { do: [{ write: { a: 1, log: { text: ["a", { get: "a" }] } } }] },
        inc_b: { do: [{ write: { b: 1, log: { text: ["b", { get: "b" }] } } }] },
      },
      entry: ["inc_a", "inc_b"],
      branches: [
        { from: "inc_a", rules: [{ when: { less: [{ get: "a" }, 2] }, to: "inc_a" }, { to: "END" }] },
        { from: "inc_b", rules: [{ when: { less: [{ get: "b" }, 4] }, to: "inc_b" }, { to: "END" }] },
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "branch_to_several",
    about: "A branch leads to two of three nodes.",
    graph: {
      fields: { n, log },
      nodes: {
        pick: { do: [{ write: { log: "pick" } }] },
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: "pick",
      edges: [
        ["a", "END"],
        ["b", "END"],
        ["c", "END"],
      ],
      branches: [{ from: "pick", rules: [{ when: { less: [{ get: "n" }, 5] }, to: ["a", "c"] }, { to: "b" }] }],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "branch_to_end",
    about: "A branch that leads to the end beside an arm that goes on.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["b", "c"],
        ["c", "END"],
      ],
      branches: [{ from: "a", rules: [{ to: "END" }] }],
    },
    script: [{ run: {} }],
  },
  {
    name: "branch_sees_own_write",
    about: "A branch sees what its own node wrote.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { n: 7 } }] },
        big: { do: [{ write: { log: "big" } }] },
        small: { do: [{ write: { log: "small" } }] },
      },
      entry: "a",
      edges: [
        ["big", "END"],
        ["small", "END"],
      ],
      branches: [{ from: "a", rules: [{ when: { less: [5, { get: "n" }] }, to: "big" }, { to: "small" }] }],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "branch_beside_writer",
    about: "Whether a branch sees what a neighbour of its node wrote in the same superstep.",
    graph: {
      fields: { total: { reducer: "add" }, log },
      nodes: {
        a: { do: [{ write: { total: 1, log: "a" } }] },
        b: { do: [{ write: { total: 10, log: "b" } }] },
        merged: { do: [{ write: { log: "merged" } }] },
        own: { do: [{ write: { log: "own" } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["b", "END"],
        ["merged", "END"],
        ["own", "END"],
      ],
      branches: [{ from: "a", rules: [{ when: { equal: [{ get: "total" }, 11] }, to: "merged" }, { to: "own" }] }],
    },
    script: [{ run: {} }],
  },
  {
    name: "branch_and_edge",
    about: "A node with an edge and a branch goes where both lead.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        always: { do: [{ write: { log: "always" } }] },
        maybe: { do: [{ write: { log: "maybe" } }] },
      },
      entry: "a",
      edges: [
        ["a", "always"],
        ["always", "END"],
        ["maybe", "END"],
      ],
      branches: [{ from: "a", rules: [{ when: { less: [{ get: "n" }, 5] }, to: "maybe" }, { to: "END" }] }],
    },
    script: [{ run: { n: 1 } }, { run: { n: 9 } }],
  },
  {
    name: "two_branches_of_one_node",
    about: "Two branches of one node are each decided; a node that both name runs once.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        both: { do: [{ write: { log: "both" } }] },
        x: { do: [{ write: { log: "x" } }] },
        y: { do: [{ write: { log: "y" } }] },
      },
      entry: "a",
      edges: [
        ["both", "END"],
        ["x", "END"],
        ["y", "END"],
      ],
      branches: [
        { from: "a", rules: [{ when: { less: [{ get: "n" }, 5] }, to: ["both", "x"] }, { to: "x" }] },
        { from: "a", rules: [{ when: { less: [{ get: "n" }, 5] }, to: ["both", "y"] }, { to: "y" }] },
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "entry_branch",
    about: "The input decides where a run begins.",
    graph: {
      fields: { n, log },
      nodes: {
        big: { do: [{ write: { log: "big" } }] },
        small: { do: [{ write: { log: "small" } }] },
      },
      entry: { rules: [{ when: { less: [{ get: "n" }, 5] }, to: "small" }, { to: "big" }] },
      edges: [
        ["big", "END"],
        ["small", "END"],
      ],
    },
    script: [{ run: { n: 9 } }, { run: { n: 1 } }],
  },
];
