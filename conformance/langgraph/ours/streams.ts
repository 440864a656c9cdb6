/** What streams tell. */
import type { Otherwise } from "../format/definition.ts";

export const streams: Readonly<Record<string, readonly Otherwise[]>> = {
  ask_three_in_order: [
    {
      difference: "who runs again",
      at: "/calls/1/steps/0/events",
      value: [
        { type: "finished", node: "a" },
        { type: "started", node: "a" },
        { type: "updates", node: "a", wrote: { log: ["a:1"] } },
      ],
    },
    {
      difference: "who runs again",
      at: "/calls/2/steps/0/events",
      value: [
        { type: "finished", node: "b" },
        { type: "started", node: "b" },
        { type: "updates", node: "b", wrote: { log: ["b:2"] } },
      ],
    },
  ],
  ask_three_in_reverse: [
    {
      difference: "who runs again",
      at: "/calls/1/steps/0/events",
      value: [
        { type: "finished", node: "c" },
        { type: "started", node: "c" },
        { type: "updates", node: "c", wrote: { log: ["c:3"] } },
      ],
    },
    {
      difference: "who runs again",
      at: "/calls/2/steps/0/events",
      value: [
        { type: "finished", node: "b" },
        { type: "started", node: "b" },
        { type: "updates", node: "b", wrote: { log: ["b:2"] } },
      ],
    },
  ],
  ask_two_of_three_at_once: [
    {
      difference: "who runs again",
      at: "/calls/1/steps/0/events",
      value: [
        { type: "finished", node: "a" },
        { type: "started", node: "a" },
        { type: "updates", node: "a", wrote: { log: ["a:1"] } },
        { type: "finished", node: "c" },
        { type: "started", node: "c" },
        { type: "updates", node: "c", wrote: { log: ["c:3"] } },
      ],
    },
  ],
  ask_in_sent_tasks: [
    {
      difference: "who runs again",
      at: "/calls/1/steps/0/events",
      value: [
        { type: "finished", node: "work" },
        { type: "started", node: "work" },
        { type: "updates", node: "work", wrote: { log: ["3:z"] } },
      ],
    },
  ],
  ask_then_fail: [{ difference: "answers stand", at: "/calls/1/steps/0/events/1" }],
  proceed_while_waiting: [{ difference: "going on without an answer", at: "/calls/1/steps/0/events", value: [] }],
  join_filled_by_two_turns: [
    { difference: "starved joins", at: "/calls/1/steps/3/next", value: [] },
    { difference: "starved joins", at: "/calls/1/steps/4" },
  ],
  fail_twice: [
    {
      difference: "starts before a failure",
      at: "/calls/0/steps/3",
      value: { step: 2, tasks: [], events: [{ type: "started", node: "b" }] },
    },
  ],
  fail_then_run: [
    {
      difference: "starts before a failure",
      at: "/calls/0/steps/3",
      value: { step: 2, tasks: [], events: [{ type: "started", node: "b" }] },
    },
  ],
  fail_then_update_as_it: [
    {
      difference: "starts before a failure",
      at: "/calls/0/steps/3",
      value: { step: 2, tasks: [], events: [{ type: "started", node: "b" }] },
    },
  ],
  fail_then_mend: [
    {
      difference: "starts before a failure",
      at: "/calls/0/steps/3",
      value: { step: 2, tasks: [], events: [{ type: "started", node: "b" }] },
    },
  ],
  fail_after_write: [{ difference: "events of failed attempts", at: "/calls/0/steps/2/events/0" }],
  sub_mapped_asks: [{ difference: "subgraphs go on", at: "/calls/1/steps/0/events/1" }],
  sub_shared_asks: [{ difference: "subgraphs go on", at: "/calls/1/steps/0/events/1" }],
  sub_two_ask: [
    {
      difference: "subgraphs go on",
      at: "/calls/1/steps/0/events",
      value: [
        { type: "finished", node: "b" },
        { type: "updates", node: "b", wrote: { right: ["for b"] } },
      ],
    },
    { difference: "subgraphs go on", at: "/calls/2/steps/0/events/1" },
  ],
  sub_in_sub_asks: [{ difference: "subgraphs go on", at: "/calls/1/steps/0/events/1" }],
  sub_with_breakpoint: [{ difference: "subgraphs go on", at: "/calls/1/steps/0/events/1" }],
};
