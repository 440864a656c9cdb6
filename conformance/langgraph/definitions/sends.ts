import type { Definition, FieldDefinition } from "../format/definition.ts";

const n: FieldDefinition = { reducer: "last" };
const log: FieldDefinition = { reducer: "append" };

/** Send: tasks with a state of their own; and events of their own. */
export const sends: readonly Definition[] = [
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
    name: "send_of_nothing",
    about: "No items, nothing sent: the run is done.",
    graph: {
      fields: { items: { reducer: "last" }, log },
      nodes: {
        plan: {
          do: [{ write: { log: "plan" } }, { send: "work", each: { get: "items" }, with: { item: { use: "item" } } }],
        },
        work: { do: [{ write: { log: "work" } }] },
      },
      entry: "plan",
    },
    script: [{ run: { items: [] } }],
  },
  {
    name: "send_beside_edge",
    about: "A body sends while its node has an edge: both are queued, the sent ones after.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "a_sent", each: { list: ["x", "y"] }, with: { item: { use: "item" } } }] },
        a_sent: { do: [{ write: { log: { text: ["sent ", { get: "item" }] } } }] },
        by_edge: { do: [{ write: { log: "by_edge" } }] },
      },
      entry: "plan",
      edges: [
        ["plan", "by_edge"],
        ["by_edge", "END"],
      ],
    },
    script: [{ run: {} }],
  },
  {
    name: "send_and_edge_to_one_node",
    about: "One node is queued by an edge and sent, in one superstep: it runs with the graph's state and with its own.",
    graph: {
      fields: { n, log },
      nodes: {
        plan: { do: [{ send: "work", with: { n: 50 } }] },
        work: { do: [{ write: { log: { text: ["n=", { get: "n" }] } } }] },
      },
      entry: "plan",
      edges: [
        ["plan", "work"],
        ["work", "END"],
      ],
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "send_sees_its_own_state_only",
    about: "A sent task sees nothing of the graph's state.",
    graph: {
      fields: { n, log },
      nodes: {
        plan: { do: [{ send: "work", with: { item: 5 } }] },
        work: { do: [{ write: { log: { record: { n: { get: "n" }, item: { get: "item" } } } } }] },
      },
      entry: "plan",
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "send_chain",
    about: "Sent tasks send on, one more superstep each.",
    graph: {
      fields: { log },
      nodes: {
        first: { do: [{ send: "second", each: { list: [1, 2] }, with: { item: { use: "item" } } }] },
        second: {
          do: [
            { write: { log: { text: ["second", { get: "item" }] } } },
            { send: "third", each: { list: ["l", "r"] }, with: { item: { get: "item" }, side: { use: "item" } } },
          ],
        },
        third: { do: [{ write: { log: { text: ["third", { get: "item" }, { get: "side" }] } } }] },
      },
      entry: "first",
    },
    script: [{ run: {} }],
  },
  {
    name: "send_to_different_nodes",
    about: "One body sends to two nodes, not in the order of their names.",
    graph: {
      fields: { log },
      nodes: {
        plan: {
          do: [
            { send: "zeta", with: { item: 1 } },
            { send: "alpha", with: { item: 2 } },
            { send: "zeta", with: { item: 3 } },
          ],
        },
        alpha: { do: [{ write: { log: { text: ["alpha", { get: "item" }] } } }] },
        zeta: { do: [{ write: { log: { text: ["zeta", { get: "item" }] } } }] },
      },
      entry: "plan",
    },
    script: [{ run: {} }],
  },
  {
    name: "send_from_two",
    about: "Two bodies of one superstep send to one node.",
    graph: {
      fields: { log },
      nodes: {
        a: { do: [{ delay: 20 }, { send: "work", each: { list: [1, 2] }, with: { item: { use: "item" } } }] },
        b: { do: [{ send: "work", each: { list: [3, 4] }, with: { item: { use: "item" } } }] },
        work: { do: [{ write: { log: { get: "item" } } }] },
      },
      entry: ["a", "b"],
    },
    script: [{ run: {} }],
  },
  {
    name: "send_and_goto",
    about: "One body writes, sends and goes, all at once.",
    graph: {
      fields: { n, log },
      nodes: {
        plan: {
          do: [{ write: { n: 2 } }, { goto: "gone" }, { send: "sent", with: { item: 1 } }, { write: { log: "plan" } }],
        },
        gone: { do: [{ write: { log: { text: ["gone", { get: "n" }] } } }] },
        sent: { do: [{ write: { log: { text: ["sent", { get: "item" }] } } }] },
      },
      entry: "plan",
    },
    script: [{ run: { n: 1 } }],
  },
  {
    name: "sends_one_at_a_time",
    about: "Six sent tasks with one running at a time: all six run.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2, 3, 4, 5, 6] }, with: { item: { use: "item" } } }] },
        work: { do: [{ delay: 2 }, { write: { log: { get: "item" } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "plan",
      edges: [
        ["work", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: {}, concurrency: 1 }],
  },
  {
    name: "sends_two_at_a_time",
    about: "Six sent tasks with two running at a time.",
    graph: {
      fields: { log },
      nodes: {
        plan: { do: [{ send: "work", each: { list: [1, 2, 3, 4, 5, 6] }, with: { item: { use: "item" } } }] },
        work: { do: [{ delay: 2 }, { write: { log: { get: "item" } } }] },
        tail: { do: [{ write: { log: "tail" } }] },
      },
      entry: "plan",
      edges: [
        ["work", "tail"],
        ["tail", "END"],
      ],
    },
    script: [{ run: {}, concurrency: 2 }],
  },
  {
    name: "custom_events",
    about: "Bodies emit events of their own, in the superstep they run in.",
    graph: {
      fields: { n, log },
      nodes: {
        a: { do: [{ emit: { record: { progress: 1 } } }, { write: { log: "a" } }, { emit: "half way" }] },
        b: { do: [{ emit: { get: "n" } }, { write: { log: "b" } }] },
      },
      entry: "a",
      edges: [
        ["a", "b"],
        ["b", "END"],
      ],
    },
    script: [{ run: { n: 4 } }],
  },
];
