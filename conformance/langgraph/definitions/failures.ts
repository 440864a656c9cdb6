import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Failures, re-runs, retries and write conflicts. */
export const failures: readonly Definition[] = [
  {
    name: "fail_then_proceed",
    about: "A node fails after its sibling finished; going on runs the failed one only.",
    graph: {
      fields: { log },
      nodes: {
        bad: { do: [{ delay: 20 }, { throw: "boom", entries: [1] }, { write: { log: "bad" } }] },
        good: { do: [{ write: { log: "good" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["bad", "good"],
      joins: [{ from: ["bad", "good"], to: "tail" }],
      edges: [["tail", "END"]],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "fail_before_slow_sibling",
    about: "A node fails at once while its sibling is at work: what becomes of the sibling's result.",
    graph: {
      fields: { log },
      nodes: {
        bad: { do: [{ throw: "boom", entries: [1] }, { write: { log: "bad" } }] },
        slow: { do: [{ delay: 30 }, { write: { log: "slow" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["bad", "slow"],
      joins: [{ from: ["bad", "slow"], to: "tail" }],
      edges: [["tail", "END"]],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "fail_first_node",
    about: "The very first node fails; the input is not lost.",
    graph: {
      fields: { n, log },
      nodes: { a: { do: [{ throw: "boom", entries: [1] }, { write: { log: { text: ["n=", { get: "n" }] } } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: { n: 4 } }, { proceed: true }],
  },
  {
    name: "fail_twice",
    about: "A node fails in two runs and succeeds in the third; nodes before it are not run again.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ throw: "boom", entries: [1, 2] }, { write: { log: "b" } }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "c"],
        ["c", "END"],
      ],
    },
    script: [{ run: {} }, { proceed: true }, { proceed: true }],
  },
  {
    name: "fail_after_write",
    about: "What a body would have written before it threw is not written.",
    graph: {
      fields: { log },
      nodes: {
        a: {
          do: [
            { write: { log: "half" } },
            { emit: "half" },
            { throw: "boom", entries: [1] },
            { write: { log: "whole" } },
          ],
        },
      },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "fail_two_at_once",
    about: "Two nodes of one superstep fail.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ throw: "boom a", entries: [1] }, { write: { log: "a" } }] },
        b: { do: [{ delay: 20 }, { throw: "boom b", entries: [1] }, { write: { log: "b" } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "fail_one_of_three_sent",
    about: "One of three sent tasks fails last; the other two are not run again.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2, 3] }, with: { item: { use: "item" } } }] },
        work: {
          do: [
            { if: { equal: [{ get: "item" }, 2] }, do: [{ delay: 20 }, { throw: "boom", entries: [1, 2, 3] }] },
            { write: { log: { get: "item" } } },
          ],
        },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "plan",
      edges: [
        ["work", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "fail_then_run",
    about: "A new input to a thread whose last run failed.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: { text: ["a", { get: "n" }] } } }] },
        b: { do: [{ throw: "boom", entries: [1] }, { write: { log: { text: ["b", { get: "n" }] } } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { run: { n: 2 } }],
  },
  {
    name: "fail_then_update_as_it",
    about: "A failed node is stepped over by an update in its name.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ throw: "boom" }] },
        c: { do: [{ write: { log: "c" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "c"],
        ["c", "END"],
      ],
    },
    script: [{ run: {} }, { update: { log: "b by hand" }, asNode: "b" }, { proceed: true }],
  },
  {
    name: "fail_then_mend",
    about: "A failed node reads a state that was mended by an update as the node before it.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ if: { less: [{ get: "n" }, 5] }, do: [{ throw: "too small" }] }, { write: { log: "b" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { update: { n: 9 }, asNode: "a" }, { proceed: true }],
  },
  {
    name: "retry_succeeds",
    about: "A node succeeds at its third attempt; its superstep is one.",
    graph: {
      fields: { log },
      nodes: {
        a: { retry: { attempts: 3 }, do: [{ throw: "boom", entries: [1, 2] }, { write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "retry_exhausted",
    about: "A node fails at its last attempt; going on begins with a first attempt again.",
    graph: {
      fields: { log },
      nodes: { a: { retry: { attempts: 2 }, do: [{ throw: "boom", entries: [1, 2, 3] }, { write: { log: "a" } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: {} }, { proceed: true }],
  },
  {
    name: "retry_beside_sibling",
    about: "A retry does not run a sibling again.",
    graph: {
      fields: { log },
      nodes: {
        a: { retry: { attempts: 2 }, do: [{ throw: "boom", entries: [1] }, { write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["a", "b"],
      joins: [{ from: ["a", "b"], to: "tail" }],
      edges: [["tail", "END"]],
    },
    script: [{ run: {} }],
  },
  {
    name: "retry_of_sent",
    about: "A sent task is tried again with its own state.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", with: { item: 7 } }] },
        work: { retry: { attempts: 2 }, do: [{ throw: "boom", entries: [1] }, { write: { log: { get: "item" } } }] },
      },
      entry: "plan",
    },
    script: [{ run: {} }],
  },
  {
    name: "write_conflict",
    about: "Two nodes of one superstep write a field that keeps its last update; then the thread is tried again.",
    graph: {
      fields: { n },
      nodes: { a: { do: [{ write: { n: 2 } }] }, b: { do: [{ write: { n: 3 } }] } },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { proceed: true }, { run: { n: 9 } }],
  },
  {
    name: "write_conflict_on_good_thread",
    about: "A write conflict in the second turn of a thread: what is left of the first.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }, { if: { less: [5, { get: "n" }] }, do: [{ write: { n: 2 } }] }] },
        b: { do: [{ write: { log: "b" } }, { if: { less: [5, { get: "n" }] }, do: [{ write: { n: 3 } }] }] },
      },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { run: { n: 9 } }, { run: { n: 1 } }],
  },
  {
    name: "write_conflict_in_one_body",
    about: "One body writes a field twice that keeps its last update.",
    graph: {
      fields: { n },
      nodes: { a: { do: [{ write: { n: 2 } }, { write: { n: 3 } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "write_conflict_of_sent",
    about: "Two sent tasks write a field that keeps its last update.",
    graph: {
      fields: { n },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [2, 3] }, with: { item: { use: "item" } } }] },
        work: { do: [{ write: { n: { get: "item" } } }] },
      },
      entry: "plan",
    },
    script: [{ run: { n: 1 } }],
  },
];
