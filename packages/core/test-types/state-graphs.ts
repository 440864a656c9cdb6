/** What the types of state graphs accept, and what they refuse. */
import { z } from "zod";
import {
  append,
  END,
  last,
  START,
  stateGraph,
  threadsOf,
  type Engine,
  type GraphEvent,
  type Reducer,
  type StateGraph,
} from "../src/index.ts";

interface Msg {
  readonly role: "user" | "assistant" | "tool";
  readonly content: string;
}
interface ToolCall {
  readonly id: string;
}

const count: Reducer<number, number> = { init: 0, reduce: (all, one) => all + one };

export const agentStates = stateGraph("agentStates", {
  state: { messages: append<Msg>(), calls: last<ToolCall[]>([]), n: count },
  nodes: ["think", "tools"],
})
  .node("think", async (s, to) => [
    to.write({ messages: { role: "assistant", content: String(s.messages.length) }, calls: [] }),
    to.goto("tools"),
  ])
  .node("tools", async (s, to) => s.calls.map((c) => to.write({ messages: { role: "tool", content: c.id }, n: 1 })))
  .entry("think")
  .branch("think", (s) => (s.calls.length > 0 ? "tools" : END))
  .edge("tools", "think")
  .compile();

type AgentStates = StateGraph<
  { readonly messages: Msg[]; readonly calls: ToolCall[]; readonly n: number },
  { readonly messages?: Msg; readonly calls?: ToolCall[]; readonly n?: number }
>;
agentStates satisfies AgentStates;

stateGraph("s", { state: { n: { ...count, version: "2" } }, nodes: ["a"], version: "2" }) satisfies object;
stateGraph("s", { initial: 0, merge: (n: number, m: number) => n + m, nodes: ["a"], version: "2" }) satisfies object;
// @ts-expect-error a version is a text
stateGraph("s", { state: { n: count }, nodes: ["a"], version: 2 });
// @ts-expect-error of a reducer too
({ ...count, version: 2 }) satisfies Reducer<number, number>;

const half = stateGraph("s", { state: { n: last(0) }, nodes: ["a", "b"] }).node("a", (_s, to) => to.goto("b"));
// @ts-expect-error the body of b is missing
half.compile();
stateGraph("s", { state: { n: last(0) }, nodes: ["a", "b"] })
  // @ts-expect-error unknown field
  .node("a", (_s, to) => to.write({ m: 1 }))
  // @ts-expect-error unknown node
  .node("b", (_s, to) => to.goto("c"));
stateGraph("s", { state: { n: last(0) }, nodes: ["a"] })
  // @ts-expect-error an update of another type
  .node("a", (_s, to) => to.write({ n: "1" }))
  // @ts-expect-error unknown node
  .edge("a", "b")
  // @ts-expect-error unknown node
  .branch("a", () => "b")
  // @ts-expect-error the start is no target
  .edge("a", START);
stateGraph("s", { state: { n: last(0) }, nodes: ["a"] }).node(
  "a",
  (s, to, run) => {
    const answer: { ok: boolean } | undefined = run.answer("approve");
    // @ts-expect-error no such question
    run.answer("reject");
    // @ts-expect-error no such question
    if (s.n > 1) return to.interrupt("reject");
    return answer === undefined ? to.interrupt("approve", { n: s.n }) : to.write({ n: answer.ok ? 1 : 0 });
  },
  { asks: { approve: { answer: z.object({ ok: z.boolean() }) } } },
);
// A node that asks nothing has no questions.
stateGraph("s", { state: { n: last(0) }, nodes: ["a"] }).node("a", (_s, to) =>
  // @ts-expect-error no such question
  to.interrupt("approve"),
);

// What a generator yields is any value; what it returns are steps.
stateGraph("s", { state: { n: last(0) }, nodes: ["a", "b"] })
  .node("a", async function* (s, to, run) {
    yield { progress: s.n };
    run.emit("half", 0.5);
    // @ts-expect-error an event has a name and a value
    run.emit(0.5);
    return [to.write({ n: 1 }), to.goto("b")];
  })
  .node("b", function* (_s, to) {
    yield "only an event";
    // @ts-expect-error unknown field
    return to.write({ m: 1 });
  });
stateGraph("s", { state: { n: last(0) }, nodes: ["a"] })
  // @ts-expect-error what it returns are no steps
  .node("a", async function* () {
    yield 1;
    return 2;
  });

type AgentEvent = GraphEvent<
  { readonly messages: Msg[]; readonly calls: ToolCall[]; readonly n: number },
  { readonly messages?: Msg; readonly calls?: ToolCall[]; readonly n?: number },
  "think" | "tools"
>;

/** Events are typed by state, updates and nodes; those of subgraphs are not. */
export async function readEvents(engine: Engine): Promise<void> {
  for await (const event of await threadsOf(engine, agentStates).stream("t", {})) event satisfies AgentEvent;
}

export function told(event: AgentEvent): unknown {
  if (event.within !== undefined) return "node" in event ? event.node.length : event.event;
  switch (event.event) {
    case "values":
      event.next satisfies readonly ("think" | "tools")[];
      // @ts-expect-error no such field
      return event.state.n + event.state.m;
    case "updates":
      // @ts-expect-error no such node
      return event.node === "act" ? 1 : event.updates[0]?.n;
    case "ended":
      return event.result.status === "completed" ? event.result.output.n : 0;
    default:
      return 0;
  }
}

export const merged = stateGraph("merged", {
  initial: { total: 0 },
  merge: (state, n: number) => ({ total: state.total + n }),
  nodes: ["a"],
})
  .node("a", ({ total }, to) => to.write(total))
  .compile();
// @ts-expect-error an update of another type
stateGraph("s", { initial: 0, merge: (s, n: number) => s + n, nodes: ["a"] }).node("a", (_n, to) => to.write("1"));

stateGraph("parent", { state: { n: last(0) }, nodes: ["sub"] })
  .subgraph("sub", merged, { enter: ({ n }) => n, leave: ({ total }) => ({ n: total }) })
  // @ts-expect-error enter gives something else than an update of the subgraph
  .subgraph("sub", merged, { enter: () => "1", leave: ({ total }) => ({ n: total }) });

export async function typedThreads(engine: Engine): Promise<number> {
  const threads = threadsOf(engine, merged);
  const handle = await threads.start("t", 1);
  await threads.start("t", null);
  // @ts-expect-error not an input of this graph
  await threads.start("t", "one");
  const { total } = await handle.output();
  const newest = await threads.state("t");
  return total + (newest?.state.total ?? 0);
}
