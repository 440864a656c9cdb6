import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Cycles, branches, goto and send: what the state leads to. */
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
    name: "send_each",
    about: "A node is sent once per item with a state of its own; what they write folds in the order sent.",
    graph: {
      fields: { items: { reducer: "last" }, parts: log, total: { reducer: "last" } },
      nodes: {
        plan: { do: [{ send: "work", each: { get: "items" }, with: { item: { use: "item" } } }] },
        work: {
          do: [
            { if: { equal: [{ get: "item" }, 3] }, do: [{ delay: 30 }] },
            {
              write: {
                parts: { record: { item: { get: "item" }, square: { product: [{ get: "item" }, { get: "item" }] } } },
              },
            },
          ],
        },
        reduce: { do: [{ write: { total: { total: { get: "parts" }, of: "square" } } }] },
      },
      entry: "plan",
      edges: [
        ["work", "reduce"],
        ["reduce", "END"],
      ],
    },
    script: [{ run: { items: [3, 1, 2] } }],
  },
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
];
