import type { Definition, FieldDefinition } from "../format/definition.ts";

const log: FieldDefinition = { reducer: "append" };

/** Questions in tasks that run beside others. */
export const parallelQuestions: readonly Definition[] = [
  {
    name: "interrupt_beside_sibling",
    about: "A sibling that finished is not run again when its neighbour has its answer.",
    graph: {
      fields: { log },
      nodes: {
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { text: ["ask:", { use: "v" }] } } }] },
        side: { do: [{ write: { log: "side" } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["ask", "side"],
      joins: [{ from: ["ask", "side"], to: "tail" }],
      edges: [["tail", "END"]],
    },
    script: [{ run: {} }, { answer: 7 }],
  },
  {
    name: "ask_three_in_order",
    about: "Three parallel questions answered one by one in the order asked.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ ask: "a?", as: "v" }, { write: { log: { text: ["a:", { use: "v" }] } } }] },
        b: { do: [{ ask: "b?", as: "v" }, { write: { log: { text: ["b:", { use: "v" }] } } }] },
        c: { do: [{ ask: "c?", as: "v" }, { write: { log: { text: ["c:", { use: "v" }] } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["a", "b", "c"],
      edges: [["tail", "END"]],
      joins: [{ from: ["a", "b", "c"], to: "tail" }],
    },
    script: [{ run: {} }, { answer: 1, to: "a?" }, { answer: 2, to: "b?" }, { answer: 3, to: "c?" }],
  },
  {
    name: "ask_three_in_reverse",
    about: "Three parallel questions answered one by one in the reverse order: each gets its own answer.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ ask: "a?", as: "v" }, { write: { log: { text: ["a:", { use: "v" }] } } }] },
        b: { do: [{ ask: "b?", as: "v" }, { write: { log: { text: ["b:", { use: "v" }] } } }] },
        c: { do: [{ ask: "c?", as: "v" }, { write: { log: { text: ["c:", { use: "v" }] } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: ["a", "b", "c"],
      edges: [["tail", "END"]],
      joins: [{ from: ["a", "b", "c"], to: "tail" }],
    },
    script: [{ run: {} }, { answer: 3, to: "c?" }, { answer: 2, to: "b?" }, { answer: 1, to: "a?" }],
  },
  {
    name: "ask_three_at_once",
    about: "Three parallel questions answered in one call.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ ask: "a?", as: "v" }, { write: { log: { text: ["a:", { use: "v" }] } } }] },
        b: { do: [{ ask: "b?", as: "v" }, { write: { log: { text: ["b:", { use: "v" }] } } }] },
        c: { do: [{ ask: "c?", as: "v" }, { write: { log: { text: ["c:", { use: "v" }] } } }] },
      },
      entry: ["a", "b", "c"],
      edges: [
        ["a", "END"],
        ["b", "END"],
        ["c", "END"],
      ],
    },
    script: [
      { run: {} },
      {
        answers: [
          { answer: 3, to: "c?" },
          { answer: 1, to: "a?" },
          { answer: 2, to: "b?" },
        ],
      },
    ],
  },
  {
    name: "ask_two_of_three_at_once",
    about: "Two of three parallel questions answered in one call, the third in another.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ ask: "a?", as: "v" }, { write: { log: { text: ["a:", { use: "v" }] } } }] },
        b: { do: [{ ask: "b?", as: "v" }, { write: { log: { text: ["b:", { use: "v" }] } } }] },
        c: { do: [{ ask: "c?", as: "v" }, { write: { log: { text: ["c:", { use: "v" }] } } }] },
      },
      entry: ["a", "b", "c"],
      edges: [
        ["a", "END"],
        ["b", "END"],
        ["c", "END"],
      ],
    },
    script: [
      { run: {} },
      {
        answers: [
          { answer: 1, to: "a?" },
          { answer: 3, to: "c?" },
        ],
      },
      { answer: 2, to: "b?" },
    ],
  },
  {
    name: "ask_two_answered_without_saying_which",
    about: "An answer that does not say which of two questions it is for.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ ask: "a?", as: "v" }, { write: { log: { text: ["a:", { use: "v" }] } } }] },
        b: { do: [{ ask: "b?", as: "v" }, { write: { log: { text: ["b:", { use: "v" }] } } }] },
      },
      entry: ["a", "b"],
      edges: [
        ["a", "END"],
        ["b", "END"],
      ],
    },
    script: [{ run: {} }, { answer: 1 }],
  },
  {
    name: "ask_in_sent_tasks",
    about: "Three sent tasks of one node ask; one does not need to.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2, 3] }, with: { item: { use: "item" } } }] },
        work: {
          do: [
            {
              if: { equal: [{ get: "item" }, 2] },
              do: [{ write: { log: "2 by itself" } }],
              else: [
                { ask: { text: ["item ", { get: "item" }, "?"] }, as: "v" },
                { write: { log: { text: [{ get: "item" }, ":", { use: "v" }] } } },
              ],
            },
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
    script: [{ run: {} }, { answer: "z", to: "item 3?" }, { answer: "y", to: "item 1?" }],
  },
  {
    name: "ask_beside_slow_sibling",
    about: "A question does not stop a sibling that is still at work.",
    graph: {
      fields: { log },
      nodes: {
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] },
        slow: { do: [{ delay: 30 }, { write: { log: "slow" } }] },
      },
      entry: ["ask", "slow"],
      edges: [
        ["ask", "END"],
        ["slow", "END"],
      ],
    },
    script: [{ run: {} }, { answer: "yes" }],
  },
  {
    name: "ask_beside_failing_sibling",
    about: "One task asks while its neighbour fails.",
    graph: {
      fields: { log },
      nodes: {
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] },
        bad: { do: [{ delay: 20 }, { throw: "boom", entries: [1] }, { write: { log: "bad" } }] },
      },
      entry: ["ask", "bad"],
      edges: [
        ["ask", "END"],
        ["bad", "END"],
      ],
    },
    script: [{ run: {} }, { proceed: true }, { answer: "yes" }],
  },
  {
    name: "two_answers_at_once",
    about: "Two callers answer one question at the same moment.",
    graph: {
      fields: { log },
      nodes: {
        ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "ask",
      edges: [
        ["ask", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: {} }, { together: [{ answer: "first" }, { answer: "second" }] }],
  },
];
