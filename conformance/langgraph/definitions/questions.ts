import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Interrupts in bodies and static breakpoints. */
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
];
