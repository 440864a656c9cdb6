import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Questions in bodies, and what they are answered with. */
export const questions: readonly Definition[] = [
  {
    name: "interrupt_and_answer",
    about: "A body asks, the thread waits, and the body runs again from its top with the answer.",
    graph: {
      fields: { n, log, answer: { reducer: "last" } },
      nodes: {
        plan: { do: [{ write: { log: "plan" } }] },
        ask: {
          do: [
            { ask: { record: { question: "ok?", n: { get: "n" } } }, as: "answer" },
            { write: { answer: { use: "answer" }, log: { text: ["ask:", { use: "answer" }] } } },
          ],
        },
        act: { do: [{ write: { log: { text: ["act:", { get: "answer" }] } } }] },
      },
      entry: "plan",
      edges: [
        ["plan", "ask"],
        ["ask", "act"],
        ["act", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { answer: "yes" }],
  },
  {
    name: "ask_first",
    about: "The first node asks.",
    graph: {
      fields: { log },
      nodes: { ask: { do: [{ ask: "name?", as: "name" }, { write: { log: { use: "name" } } }] } },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: "Ada" }],
  },
  {
    name: "ask_twice",
    about: "A body asks twice: it runs three times, and keeps the first answer.",
    graph: {
      fields: { log },
      nodes: {
        ask: {
          do: [
            { ask: "first", as: "a" },
            { ask: { text: ["second after ", { use: "a" }] }, as: "b" },
            { write: { log: { text: [{ use: "a" }, { use: "b" }] } } },
          ],
        },
      },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: "A" }, { answer: "B" }],
  },
  {
    name: "ask_after_write",
    about: "What a body writes and emits before its question: the write counts once, when the body is done.",
    graph: {
      fields: { total: { reducer: "add" }, log },
      nodes: {
        ask: {
          do: [
            { write: { total: 1, log: "before" } },
            { emit: "asking" },
            { ask: "ok?", as: "ok" },
            { write: { total: 10, log: { use: "ok" } } },
          ],
        },
      },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: "yes" }],
  },
  {
    name: "ask_with_record",
    about: "Payload and answer are records; the body goes where the answer says.",
    graph: {
      fields: { n, log },
      nodes: {
        review: {
          do: [
            { ask: { record: { draft: { get: "n" }, choices: { list: ["accept", "redo"] } } }, as: "verdict" },
            { write: { log: { use: "verdict.comment" } } },
            {
              if: { equal: [{ use: "verdict.choice" }, "accept"] },
              do: [{ goto: "send_off" }],
              else: [{ goto: "redo" }],
            },
          ],
        },
        redo: { do: [{ write: { n: { sum: [{ get: "n" }, 1] } } }, { goto: "review" }] },
        send_off: { do: [{ write: { log: "sent off" } }] },
      },
      entry: "review",
    },
    script: [
      { run: { n: 1 } },
      { answer: { choice: "redo", comment: "weak" } },
      { answer: { choice: "accept", comment: "good" } },
    ],
  },
  {
    name: "ask_answered_by_null",
    about: "Null is an answer.",
    graph: {
      fields: { log },
      nodes: { ask: { do: [{ ask: "anything?", as: "a" }, { write: { log: { record: { answer: { use: "a" } } } } }] } },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: null }],
  },
  {
    name: "ask_in_cycle",
    about: "A node asks anew in every round of a cycle.",
    graph: {
      fields: { n, log },
      nodes: {
        ask: {
          do: [
            { ask: { text: ["round ", { get: "n" }] }, as: "a" },
            { write: { n: { sum: [{ get: "n" }, 1] }, log: { use: "a" } } },
          ],
        },
      },
      entry: "ask",
      branches: [{ from: "ask", rules: [{ when: { less: [{ get: "n" }, 2] }, to: "ask" }, { to: "END" }] }],
    },
    script: [{ run: { n: 0 } }, { answer: "a0" }, { answer: "a1" }],
  },
  {
    name: "ask_then_fail",
    about: "A body that fails after it had its answer keeps the answer when it runs again.",
    graph: {
      fields: { log },
      nodes: {
        ask: { do: [{ ask: "v?", as: "v" }, { throw: "boom", entries: [2] }, { write: { log: { use: "v" } } }] },
      },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: "yes" }, { proceed: true }],
  },
  {
    name: "ask_with_retry",
    about: "A question is no failure: a retry policy does not ask again, and a retry after the answer keeps it.",
    graph: {
      fields: { log },
      nodes: {
        ask: {
          retry: { attempts: 3 },
          do: [{ ask: "v?", as: "v" }, { throw: "boom", entries: [2] }, { write: { log: { use: "v" } } }],
        },
      },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { answer: "yes" }],
  },
  {
    name: "proceed_while_waiting",
    about: "Going on without an answer asks again.",
    graph: {
      fields: { log },
      nodes: { ask: { do: [{ ask: "v?", as: "v" }, { write: { log: { use: "v" } } }] } },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: {} }, { proceed: true }, { answer: "yes" }],
  },
  {
    name: "run_while_waiting",
    about: "An input to a thread that waits for an answer.",
    graph: {
      fields: { n, log },
      nodes: { ask: { do: [{ ask: { text: ["n=", { get: "n" }, "?"] }, as: "v" }, { write: { log: { use: "v" } } }] } },
      entry: "ask",
      edges: [["ask", "END"]],
    },
    script: [{ run: { n: 1 } }, { run: { n: 2 } }, { answer: "yes" }],
  },
  {
    name: "answer_without_question",
    about: "An answer to a thread that is done.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ run: {} }, { answer: "unasked" }],
  },
  {
    name: "answer_to_unknown_thread",
    about: "An answer to a thread that has never run.",
    graph: {
      fields: { log },
      nodes: { a: { do: [{ write: { log: "a" } }] } },
      entry: "a",
      edges: [["a", "END"]],
    },
    script: [{ answer: "unasked" }],
  },
  {
    name: "update_while_waiting",
    about: "The state is changed while a question is open, as if another node had written it.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ write: { log: "a" } }] },
        ask: { do: [{ ask: { text: ["n=", { get: "n" }, "?"] }, as: "v" }, { write: { log: { use: "v" } } }] },
      },
      entry: "a",
      edges: [
        ["a", "ask"],
        ["ask", "END"],
      ],
    },
    script: [{ run: { n: 1 } }, { update: { n: 5 }, asNode: "a" }, { proceed: true }, { answer: "yes" }],
  },
  {
    name: "update_as_the_asker",
    about: "An update as the node that asks takes the place of its answer.",
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
    script: [{ run: {} }, { update: { log: "by hand" }, asNode: "ask" }, { proceed: true }],
  },
];
