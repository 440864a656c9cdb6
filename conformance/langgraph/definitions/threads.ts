import type { Definition, FieldDefinition, GraphDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

const line: GraphDefinition = {
  fields: { n, log },
  nodes: {
    a: { do: [{ write: { n: { sum: [{ get: "n" }, 1] }, log: { text: ["a", { get: "n" }] } } }] },
    b: { do: [{ write: { n: { sum: [{ get: "n" }, 10] }, log: { text: ["b", { get: "n" }] } } }] },
    c: { do: [{ write: { log: { text: ["c", { get: "n" }] } } }] },
  },
  entry: "a",
  edges: [
    ["a", "b"],
    ["b", "c"],
    ["c", "END"],
  ],
};

/** Turns, updates and time travel. */
export const threads: readonly Definition[] = [
  {
    name: "three_turns",
    about: "Each turn goes on with the state of the one before.",
    graph: line,
    script: [{ run: { n: 1 } }, { run: {} }, { run: { n: 100, log: "in" } }],
  },
  {
    name: "two_threads",
    about: "Threads share nothing.",
    graph: line,
    script: [
      { run: { n: 1 } },
      { thread: "other", run: { n: 50 } },
      { run: { n: 2 } },
      { thread: "other", update: { n: 0 }, asNode: "a" },
    ],
  },
  {
    name: "proceed_when_done",
    about: "Going on with a thread that is done does nothing.",
    graph: line,
    script: [{ run: { n: 1 } }, { proceed: true }],
  },
  {
    name: "proceed_unknown_thread",
    about: "Going on with a thread that has never run.",
    graph: line,
    script: [{ proceed: true }],
  },
  {
    name: "delete_and_run",
    about: "A deleted thread begins anew.",
    graph: line,
    script: [{ run: { n: 1 } }, { delete: true }, { run: { n: 5 } }],
  },
  {
    name: "update_as_node",
    about: "An update of a finished thread in the name of a node: its successors run next.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { n: 500, log: "by hand" }, asNode: "a" }, { proceed: true }],
  },
  {
    name: "update_without_node",
    about: "An update of a finished thread in nobody's name.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { n: 500 } }, { proceed: true }],
  },
  {
    name: "update_without_node_of_two",
    about: "An update in nobody's name when two nodes ran last.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        b: { do: [{ write: { log: "b" } }] },
        tail: { do: [{ write: { log: { text: ["n=", { get: "n" }] } } }] },
      },
      entry: ["a", "b"],
      joins: [{ from: ["a", "b"], to: "tail" }],
      edges: [["tail", "END"]],
      breakpoints: { before: ["tail"] },
    },
    script: [{ run: { n: 1 } }, { update: { n: 7 } }],
  },
  {
    name: "update_before_any_run",
    about: "An update of a thread that has never run.",
    graph: line,
    script: [{ update: { n: 5 }, asNode: "a" }, { proceed: true }],
  },
  {
    name: "update_as_unknown_node",
    about: "An update in the name of a node that there is not.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { n: 5 }, asNode: "nobody" }],
  },
  {
    name: "update_decides_branch",
    about: "An update in the name of a node decides its branch anew.",
    graph: {
      fields: { n, log },
      nodes: {
        pick: { do: [{ write: { log: "pick" } }] },
        big: { do: [{ write: { log: "big" } }] },
        small: { do: [{ write: { log: "small" } }] },
      },
      entry: "pick",
      edges: [
        ["big", "END"],
        ["small", "END"],
      ],
      branches: [{ from: "pick", rules: [{ when: { less: [{ get: "n" }, 5] }, to: "small" }, { to: "big" }] }],
    },
    script: [{ run: { n: 1 } }, { update: { n: 9 }, asNode: "pick" }, { proceed: true }],
  },
  {
    name: "update_twice",
    about: "Two updates one after the other, each with a checkpoint of its own.",
    graph: line,
    script: [
      { run: { n: 1 } },
      { update: { log: "first" }, asNode: "b" },
      { update: { log: "second" }, asNode: "b" },
      { proceed: true },
    ],
  },
  {
    name: "fork_in_the_middle",
    about: "A run from the checkpoint after the first node: what was before stays, what came after is made anew.",
    graph: line,
    script: [{ run: { n: 1 } }, { proceed: true, at: 2 }],
  },
  {
    name: "fork_from_the_input",
    about: "A run from the checkpoint of the input.",
    graph: line,
    script: [{ run: { n: 1 } }, { proceed: true, at: 0 }],
  },
  {
    name: "fork_from_the_end",
    about: "A run from the last checkpoint has nothing to do.",
    graph: line,
    script: [{ run: { n: 1 } }, { proceed: true, at: 4 }],
  },
  {
    name: "fork_two_from_one",
    about: "Two branches with different states forked from one checkpoint keep both histories.",
    graph: line,
    script: [
      { run: { n: 1 } },
      { update: { n: 100 }, asNode: "a", at: 2 },
      { proceed: true },
      { update: { n: 200 }, asNode: "a", at: 2 },
      { proceed: true },
    ],
  },
  {
    name: "fork_without_node",
    about: "An update of an earlier checkpoint in nobody's name: the tasks queued there run next.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { n: 100 }, at: 2 }, { proceed: true }],
  },
  {
    name: "fork_of_append",
    about: "A fork of a list folds on top of what was at its checkpoint.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { log: "forked" }, asNode: "b", at: 3 }, { proceed: true }],
  },
  {
    name: "fork_then_turn",
    about: "A new turn after a fork goes on from the fork.",
    graph: line,
    script: [{ run: { n: 1 } }, { update: { n: 100 }, asNode: "a", at: 2 }, { proceed: true }, { run: { n: 7 } }],
  },
  {
    name: "run_at_checkpoint",
    about: "An input on top of an earlier checkpoint is a turn from there.",
    graph: line,
    script: [{ run: { n: 1 } }, { run: { n: 50 }, at: 2 }],
  },
  {
    name: "fork_to_before_the_question",
    about: "A fork from before a question that has been answered asks it again.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] },
      },
      entry: "a",
      edges: [
        ["a", "ask"],
        ["ask", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "yes" }, { proceed: true, at: 1 }, { answer: "no" }],
  },
  {
    name: "fork_to_the_question",
    about: "A fork from the checkpoint at which a question was asked that has been answered.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "a",
      edges: [
        ["a", "ask"],
        ["ask", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "yes" }, { proceed: true, at: 2 }, { answer: "no" }],
  },
  {
    name: "two_runs_at_once",
    about: "Two inputs to one thread at the same moment.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ delay: 10 }, { write: { log: "a" } }] },
        b: { do: [{ delay: 10 }, { write: { log: "b" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ together: [{ run: { log: "first" } }, { run: { log: "second" } }] }, { run: { log: "third" } }],
  },
];
