import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Joins and deferred nodes: what waits for others. */
export const joins: readonly Definition[] = [
  {
    name: "join_of_three",
    about: "The sources of a join run in three different supersteps.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "c"],
        ["tail", "END"],
      ],
      joins: [{ from: ["a", "b", "c"], to: "tail" }],
    },
    script: [{ run: {} }],
  },
  {
    name: "join_in_cycle",
    about: "A join within a cycle fires once a round.",
    graph: {
      fields: { n, log },
      nodes: {
        top: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: "top" } }] },
        left: { do: [{ write: { log: "left" } }] },
        right: { do: [{ write: { log: "right" } }] },
        tail: { do: [{ write: { log: { text: ["tail", { get: "n" }] } } }] },
      },
      entry: "top",
      edges: [
        ["top", "left"],
        ["top", "right"],
      ],
      joins: [{ from: ["left", "right"], to: "tail" }],
      branches: [{ from: "tail", rules: [{ when: { less: [{ get: "n" }, 2] }, to: "top" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 } }],
  },
  {
    name: "joins_sharing_a_source",
    about: "One node is a source of two joins.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
        x: { do: [{ write: { log: "x" } }] },
        y: { do: [{ write: { log: "y" } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["b", "c"],
        ["x", "END"],
        ["y", "END"],
      ],
      joins: [
        { from: ["a", "b"], to: "x" },
        { from: ["a", "c"], to: "y" },
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "join_source_not_taken",
    about: "A branch leaves out a source of a join, which then never runs.",
    graph: {
      fields: { n, log },
      nodes: {
        pick: { do: [{ write: { log: "pick" } }] },
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "pick",
      edges: [["tail", "END"]],
      joins: [{ from: ["a", "b"], to: "tail" }],
      branches: [{ from: "pick", rules: [{ when: { less: [{ get: "n" }, 5] }, to: ["a"] }, { to: ["a", "b"] }] }],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "join_filled_by_two_turns",
    about: "Half of a join is filled in one turn, the other half in the next.",
    graph: {
      fields: { n, log },
      nodes: {
        pick: { do: [{ write: { log: "pick" } }] },
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "pick",
      edges: [["tail", "END"]],
      joins: [{ from: ["a", "b"], to: "tail" }],
      branches: [{ from: "pick", rules: [{ when: { less: [{ get: "n" }, 5] }, to: "a" }, { to: "b" }] }],
    },
    script: [{ run: { n: 1 } }, { run: { n: 9 } }],
  },
  {
    name: "join_of_goto_targets",
    about: "Sources of a join that were reached by goto count like others.",
    graph: {
      fields: { log },
      nodes: {
        top: { do: [{ goto: ["a", "b"] }] },
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "top",
      edges: [["tail", "END"]],
      joins: [{ from: ["a", "b"], to: "tail" }],
    },
    script: [{ run: {} }],
  },
  {
    name: "join_of_sent",
    about: "A node that was sent twice is a source of a join, beside one that is longer under way.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2] }, with: { item: { use: "item" } } }] },
        side1: { do: [{ write: { log: "side1" } }] },
        side2: { do: [{ write: { log: "side2" } }] },
        work: { do: [{ write: { log: { text: ["work", { get: "item" }] } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["plan", "side1"],
      edges: [
        ["side1", "side2"],
        ["tail", "END"],
      ],
      joins: [{ from: ["side2", "work"], to: "tail" }],
    },
    script: [{ run: {} }],
  },
  {
    name: "deferred_two",
    about: "Two deferred nodes queued in different supersteps run together at the end.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
        x: { deferred: true, do: [{ write: { log: "x" } }] },
        y: { deferred: true, do: [{ write: { log: "y" } }] },
      },
      entry: "a",
      edges: [
        ["a", "x"],
        ["a", "b"],
        ["b", "y"],
        ["b", "c"],
        ["c", "END"],
        ["x", "END"],
        ["y", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "deferred_then_more",
    about: "A deferred node leads to a plain one.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        later: { deferred: true, do: [{ write: { log: "later" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "a",
      edges: [
        ["a", "later"],
        ["a", "b"],
        ["b", "END"],
        ["later", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "deferred_after_sends",
    about: "A deferred node collects what sent nodes of different length come to.",
    graph: {
      fields: { parts: log, total: { reducer: "last" } },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2, 3] }, with: { item: { use: "item" } } }] },
        work: {
          do: [
            { write: { parts: { get: "item" } } },
            { if: { equal: [{ get: "item" }, 2] }, do: [{ send: "again", with: { item: 20 } }] },
          ],
        },
        again: { do: [{ write: { parts: { get: "item" } } }] },
        sum: { deferred: true, do: [{ write: { total: { total: { get: "parts" } } } }] },
      },
      entry: "plan",
      edges: [
        ["work", "sum"],
        ["again", "sum"],
        ["sum", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "deferred_in_cycle",
    about: "A deferred node in a cycle waits once a round.",
    graph: {
      fields: { n, log },
      nodes: {
        top: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: "top" } }] },
        long: { do: [{ write: { log: "long" } }] },
        tail: { deferred: true, do: [{ write: { log: { text: ["tail", { get: "n" }] } } }] },
      },
      entry: "top",
      edges: [
        ["top", "long"],
        ["top", "tail"],
        ["long", "tail"],
      ],
      branches: [{ from: "tail", rules: [{ when: { less: [{ get: "n" }, 2] }, to: "top" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 } }],
  },
  {
    name: "deferred_join",
    about: "A deferred node that is the target of a join, while a longer arm outside of it goes on.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        c1: { do: [{ write: { log: "c1" } }] },
        c2: { do: [{ write: { log: "c2" } }] },
        tail: { deferred: true, do: [{ write: { log: "tail" } }] },
      },
      entry: ["a", "b", "c1"],
      edges: [
        ["c1", "c2"],
        ["c2", "END"],
        ["tail", "END"],
      ],
      joins: [{ from: ["a", "b"], to: "tail" }],
    },
    script: [{ run: {} }],
  },
];
