/** Where a superstep leads, and in which order it is folded. */
import type { Otherwise } from "../format/definition.ts";

export const gotoAndBranch: Readonly<Record<string, readonly Otherwise[]>> = {
  fan_out_not_alphabetical: [
    { difference: "fold order", at: "/calls/0/steps/2/values/log/0", value: "z" },
    { difference: "fold order", at: "/calls/0/steps/2/values/log/2", value: "a" },
    { difference: "fold order", at: "/calls/0/steps/2/events/9/values/log/0", value: "z" },
    { difference: "fold order", at: "/calls/0/steps/2/events/9/values/log/2", value: "a" },
    { difference: "fold order", at: "/calls/0/head/values/log/0", value: "z" },
    { difference: "fold order", at: "/calls/0/head/values/log/2", value: "a" },
    { difference: "fold order", at: "/history/main/2/values/log/0", value: "z" },
    { difference: "fold order", at: "/history/main/2/values/log/2", value: "a" },
  ],
  goto_beside_edge: [
    { difference: "goto", at: "/calls/0/steps/2/next", value: ["elsewhere"] },
    {
      difference: "goto",
      at: "/calls/0/steps/3/tasks",
      value: [{ node: "elsewhere", ended: "finished", wrote: { log: ["elsewhere"] } }],
    },
    { difference: "goto", at: "/calls/0/steps/3/values/log", value: ["a", "elsewhere"] },
    {
      difference: "goto",
      at: "/calls/0/steps/3/events",
      value: [
        { type: "finished", node: "elsewhere" },
        { type: "started", node: "elsewhere" },
        { type: "updates", node: "elsewhere", wrote: { log: ["elsewhere"] } },
        { type: "values", values: { log: ["a", "elsewhere"] } },
      ],
    },
    { difference: "goto", at: "/calls/0/entered/by_edge" },
    { difference: "goto", at: "/calls/0/head/values/log", value: ["a", "elsewhere"] },
    { difference: "goto", at: "/history/main/2/next", value: ["elsewhere"] },
    {
      difference: "goto",
      at: "/history/main/2/pending",
      value: [{ node: "elsewhere", wrote: { log: ["elsewhere"] } }],
    },
    { difference: "goto", at: "/history/main/3/values/log", value: ["a", "elsewhere"] },
    { difference: "goto", at: "/entered/by_edge" },
  ],
  goto_end: [
    { difference: "goto", at: "/calls/0/steps/2/next", value: [] },
    { difference: "goto", at: "/calls/0/steps/3" },
    { difference: "goto", at: "/calls/0/entered/b" },
    { difference: "goto", at: "/calls/0/head/seq", value: 2 },
    { difference: "goto", at: "/calls/0/head/parent", value: 1 },
    { difference: "goto", at: "/calls/0/head/step", value: 1 },
    { difference: "goto", at: "/calls/0/head/values/log/1" },
    { difference: "goto", at: "/history/main/2/next", value: [] },
    { difference: "goto", at: "/history/main/2/pending", value: [] },
    { difference: "goto", at: "/history/main/3" },
    { difference: "goto", at: "/entered/b" },
  ],
  branch_beside_writer: [
    { difference: "what branches see", at: "/calls/0/steps/2/next/0", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/tasks/0/node", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/tasks/0/wrote/log/0", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/values/log/2", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/events/0/node", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/events/1/node", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/events/2/node", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/events/2/wrote/log/0", value: "merged" },
    { difference: "what branches see", at: "/calls/0/steps/3/events/3/values/log/2", value: "merged" },
    { difference: "what branches see", at: "/calls/0/entered/own" },
    { difference: "what branches see", at: "/calls/0/entered/merged", value: 1 },
    { difference: "what branches see", at: "/calls/0/head/values/log/2", value: "merged" },
    { difference: "what branches see", at: "/history/main/2/next/0", value: "merged" },
    { difference: "what branches see", at: "/history/main/2/pending/0/node", value: "merged" },
    { difference: "what branches see", at: "/history/main/2/pending/0/wrote/log/0", value: "merged" },
    { difference: "what branches see", at: "/history/main/3/values/log/2", value: "merged" },
    { difference: "what branches see", at: "/entered/own" },
    { difference: "what branches see", at: "/entered/merged", value: 1 },
  ],
  unknown_field: [
    { difference: "unknown fields", at: "/calls/0/outcome", value: "failed" },
    { difference: "unknown fields", at: "/calls/0/steps/2/tasks/0/ended", value: "failed" },
    { difference: "unknown fields", at: "/calls/0/steps/2/tasks/0/wrote/n" },
    {
      difference: "unknown fields",
      at: "/calls/0/steps/2/tasks/0/error",
      value: "a of state graph unknown_field writes field misspelt, which is not there\n  hint: there are n",
    },
    { difference: "unknown fields", at: "/calls/0/steps/2/values" },
    { difference: "unknown fields", at: "/calls/0/steps/2/next" },
    { difference: "unknown fields", at: "/calls/0/steps/2/events", value: [{ type: "started", node: "a" }] },
    { difference: "unknown fields", at: "/calls/0/head/seq", value: 1 },
    { difference: "unknown fields", at: "/calls/0/head/parent", value: 0 },
    { difference: "unknown fields", at: "/calls/0/head/step", value: 0 },
    { difference: "unknown fields", at: "/calls/0/head/values/n", value: 1 },
    { difference: "unknown fields", at: "/calls/0/head/next", value: ["a"] },
    {
      difference: "unknown fields",
      at: "/calls/0/head/pending",
      value: [
        {
          node: "a",
          error: "a of state graph unknown_field writes field misspelt, which is not there\n  hint: there are n",
        },
      ],
    },
    {
      difference: "unknown fields",
      at: "/calls/0/error",
      value: {
        kind: "NodeFailed",
        message: "a of state graph unknown_field writes field misspelt, which is not there\n  hint: there are n",
      },
    },
    { difference: "unknown fields", at: "/history/main/1/pending/0/wrote" },
    {
      difference: "unknown fields",
      at: "/history/main/1/pending/0/error",
      value: "a of state graph unknown_field writes field misspelt, which is not there\n  hint: there are n",
    },
    { difference: "unknown fields", at: "/history/main/2" },
  ],
  join_source_not_taken: [
    { difference: "starved joins", at: "/calls/0/outcome", value: "failed" },
    {
      difference: "starved joins",
      at: "/calls/0/error",
      value: {
        kind: "NodeFailed",
        message:
          "state graph join_source_not_taken is at its end, and tail still waits for b, though a has run\n  hint: a branch went past it: lead every path through the join's sources, or use plain edges to tail",
      },
    },
  ],
  join_filled_by_two_turns: [
    { difference: "starved joins", at: "/calls/0/outcome", value: "failed" },
    {
      difference: "starved joins",
      at: "/calls/0/error",
      value: {
        kind: "NodeFailed",
        message:
          "state graph join_filled_by_two_turns is at its end, and tail still waits for b, though a has run\n  hint: a branch went past it: lead every path through the join's sources, or use plain edges to tail",
      },
    },
  ],
  deferred_after_sends: [
    { difference: "deferred nodes", at: "/calls/0/steps/3/next/1" },
    { difference: "deferred nodes", at: "/calls/0/steps/4/tasks/1" },
    { difference: "deferred nodes", at: "/calls/0/steps/4/values/total" },
    {
      difference: "deferred nodes",
      at: "/calls/0/steps/4/events",
      value: [
        { type: "finished", node: "again" },
        { type: "started", node: "again" },
        { type: "updates", node: "again", wrote: { parts: [20] } },
        { type: "values", values: { parts: [1, 2, 3, 20] } },
      ],
    },
    { difference: "deferred nodes", at: "/calls/0/entered/sum", value: 1 },
    { difference: "deferred nodes", at: "/history/main/3/next/1" },
    { difference: "deferred nodes", at: "/history/main/3/pending/1" },
    { difference: "deferred nodes", at: "/history/main/4/values/total" },
    { difference: "deferred nodes", at: "/entered/sum", value: 1 },
  ],
};
