/** State graphs whose journals are kept in `state-graphs-1`. They are never changed: what is new is another set. */
import { z } from "zod";
import {
  add,
  append,
  END,
  last,
  max,
  merge,
  messagesById,
  orderedBy,
  START,
  stateGraph,
  threadsOf,
  type Engine,
  type Reducer,
  type Runnable,
} from "../../../src/index.ts";
import { ran } from "./ran.ts";
import { toTheEnd, type AnyStateGraph, type Story } from "./story.ts";

const Yes = z.object({ ok: z.boolean() });
const yes = (): unknown => ({ ok: true });

/** One function over all of the state. */
const merging = stateGraph("merging", {
  initial: { seen: [] as readonly string[], n: 0 },
  merge: ({ seen, n }, update: { readonly saw?: string; readonly n?: number }) => ({
    seen: update.saw === undefined ? seen : [...seen, update.saw],
    n: n + (update.n ?? 0),
  }),
  nodes: ["one", "two"],
  version: "1",
})
  .node("one", async ({ n }, to) => {
    ran.push("one");
    return [to.write({ saw: `one at ${n}` }), to.write({ n: 1 })];
  })
  .node("two", ({ n }, to) => {
    ran.push("two");
    return to.write({ saw: `two at ${n}`, n: 10 });
  })
  .entry("one")
  .edge("one", "two")
  .edge("two", END)
  .compile();

const spelt: Reducer<string, string> = { init: "", reduce: (all, one) => all + one, version: "1" };

/** Reducers of every kind, and a schema. */
const fields = stateGraph("fields", {
  state: {
    log: append<string>(),
    sum: add(),
    most: max(),
    known: merge<{ readonly a?: number; readonly b?: number }>(),
    now: last("nothing"),
    talk: messagesById<{ readonly id: string; readonly text: string }>(),
    sorted: orderedBy<{ readonly at: number }>((one) => one.at),
    spelt,
    checked: z.string().trim(),
  },
  nodes: ["left", "right"],
  version: "1",
})
  .node("left", async (_state, to) => {
    ran.push("left");
    return to.write({ log: "l", sum: 2, most: 7, known: { a: 1 }, now: "left", sorted: { at: 2 }, spelt: "x" });
  })
  .node("right", async ({ checked }, to) => {
    ran.push("right");
    return to.write({ log: `r ${checked}`, sum: 3, most: 4, known: { b: 2 }, sorted: { at: 1 }, spelt: "y" });
  })
  .entry("left", "right")
  .compile();

/** A branch at the start that sends, and a node that waits until nothing else is left. */
const sending = stateGraph("sending", {
  state: { squares: append<number>(), log: append<string>() },
  nodes: ["square", "check", "sum"],
})
  .node("square", async ({ n }: { readonly n: number }, to) => {
    ran.push("square");
    return to.write({ squares: n * n });
  })
  .node("check", (_state, to) => {
    ran.push("check");
    return to.write({ log: "checked" });
  })
  .node(
    "sum",
    ({ squares }, to) => {
      ran.push("sum");
      return to.write({ log: `together ${squares.reduce((all, n) => all + n, 0)}` });
    },
    { defer: true },
  )
  .branch(START, (_state, to) => [3, 1, 2].map((n) => to.send("square", { n })), ["square"])
  .edge("square", "sum")
  .edge("square", "check")
  .compile();

/** Joins of both kinds, a branch that waits, a goto. */
const joining = stateGraph("joining", {
  state: { log: append<string>(), rounds: add() },
  nodes: ["short", "long", "longer", "both", "together", "again"],
})
  .node("short", (_state, to) => {
    ran.push("short");
    return to.write({ log: "short" });
  })
  .node("long", async (_state, to) => {
    ran.push("long");
    return to.write({ log: "long" });
  })
  .node("longer", (_state, to) => {
    ran.push("longer");
    return to.write({ log: "longer" });
  })
  .routed("both", ["again"], ({ log }, to) => {
    ran.push("both");
    return [to.write({ log: `both after ${log.length}` }), to.goto("again")];
  })
  .node("together", (_state, to) => {
    ran.push("together");
    return to.write({ log: "together" });
  })
  .node("again", (_state, to) => {
    ran.push("again");
    return to.write({ rounds: 1 });
  })
  .entry("short", "long")
  .join(["short", "longer"], "both")
  .join(["short", "long"], "together", { sameStep: true })
  .edge("long", "longer")
  .branch("again", async ({ rounds }) => (rounds < 2 ? "again" : END), ["again", END])
  .compile();

/** Asks twice beside one that does not; what it wrote before it asked stands. */
const asking = stateGraph("asking", { state: { log: append<string>() }, nodes: ["ask", "beside", "then"] })
  .node(
    "ask",
    async (_state, to, run) => {
      ran.push("ask");
      const [first, second] = run.answers("ok");
      if (first === undefined) return [to.write({ log: "before" }), to.interrupt("ok", { of: 1 })];
      if (second === undefined) return to.interrupt("ok", { of: 2 });
      return to.write({ log: `${first.ok} ${second.ok}, with ${run.recorded.length} before` });
    },
    { asks: { ok: { answer: Yes, title: "Go on?" } } },
  )
  .node("beside", (_state, to) => {
    ran.push("beside");
    return to.write({ log: "beside" });
  })
  .node("then", (_state, to) => {
    ran.push("then");
    return to.write({ log: "then" });
  })
  .entry("ask", "beside")
  .edge("ask", "then")
  .compile();

const pausing = stateGraph("pausing", { state: { log: append<string>() }, nodes: ["a", "b"] })
  .node("a", (_state, to) => {
    ran.push("a");
    return to.write({ log: "a" });
  })
  .node("b", (_state, to) => {
    ran.push("b");
    return to.write({ log: "b" });
  })
  .entry("a")
  .edge("a", "b")
  .compile({ pauseBefore: ["b"], pauseAfter: ["b"] });

const inner = stateGraph("inner", { state: { question: last(""), log: append<string>() }, nodes: ["look", "ask"] })
  .node("look", async ({ question }, to) => {
    ran.push("look");
    return to.write({ log: `looked for ${question}` });
  })
  .node(
    "ask",
    (_state, to, run) => {
      ran.push("ask");
      const answer = run.answer("sure");
      return answer === undefined ? to.interrupt("sure") : to.write({ log: `sure: ${answer.ok}` });
    },
    { asks: { sure: { answer: Yes } } },
  )
  .entry("look")
  .edge("look", "ask")
  .compile();

/** Another state graph as a node, beside one of its own. */
const nesting = stateGraph("nesting", {
  state: { log: append<string>() },
  nodes: ["sub", "beside", "after"],
  version: "1",
})
  .subgraph("sub", inner, {
    enter: ({ log }) => ({ question: `what ${log[0]} is` }),
    leave: ({ log }) => ({ log: log.join("; ") }),
  })
  .node("beside", (_state, to) => {
    ran.push("beside");
    return to.write({ log: "beside" });
  })
  .node("after", ({ log }, to) => {
    ran.push("after");
    return to.write({ log: `after ${log.length}` });
  })
  .entry("sub", "beside")
  .edge("sub", "after")
  .compile();

/** A generator, which tells what it is about, and one that is retried. */
const telling = stateGraph("telling", { state: { answer: last(""), tries: add() }, nodes: ["tell", "flaky"] })
  .node("tell", async function* (_state, to, run) {
    ran.push("tell");
    run.emit("status", "thinking");
    yield "It";
    yield { token: " is" };
    return to.write({ answer: "It is" });
  })
  .node(
    "flaky",
    async (_state, to, run) => {
      ran.push("flaky");
      run.emit("attempt", run.attempt);
      if (run.attempt < 3) throw new RangeError(`not at attempt ${run.attempt}`);
      return to.write({ tries: run.attempt });
    },
    { retry: { attempts: 3, initial: 1, jitter: "none", on: () => true } },
  )
  .entry("tell")
  .edge("tell", "flaky")
  .compile();

const stopping = stateGraph("stopping", { state: { log: append<string>() }, nodes: ["a", "beside", "b"] })
  .node("a", (_state, to, run) => {
    ran.push("a");
    run.cancel();
    return to.write({ log: "a" });
  })
  .node("beside", async (_state, to) => {
    ran.push("beside");
    return to.write({ log: "beside" });
  })
  .node("b", (_state, to) => {
    ran.push("b");
    return to.write({ log: "b" });
  })
  .entry("a", "beside")
  .edge("a", "b")
  .compile();

const endless = stateGraph("endless", { state: { n: add() }, nodes: ["round"] })
  .node("round", (_state, to) => {
    ran.push("round");
    return [to.write({ n: 1 }), to.goto("round")];
  })
  .branch("round", () => END, ["round", END])
  .compile({ limit: 3 });

/** What one of its nodes needs is broken in the first turn. */
const failing = stateGraph("failing", { state: { log: append<string>() }, nodes: ["fine", "broken", "after"] })
  .node("fine", async (_state, to) => {
    ran.push("fine");
    return to.write({ log: "fine" });
  })
  .node("broken", async (_state, to, run) => {
    ran.push("broken");
    if (run.runId === "r1") throw Object.assign(new TypeError("the outside is broken"), { data: { since: "monday" } });
    return to.write({ log: "mended" });
  })
  .node("after", (_state, to) => {
    ran.push("after");
    return to.write({ log: "after" });
  })
  .entry("fine", "broken")
  .edge("broken", "after")
  .compile();

/** A thread whose state grows from turn to turn. */
const notes = stateGraph("notes", {
  state: { notes: append<string>(), last: last<{ readonly text: string } | null>(null) },
  nodes: ["note", "approve"],
})
  .node("note", ({ notes: all }, to) => {
    ran.push("note");
    return to.write({ notes: `note ${all.length}, ${"and so on, ".repeat(20)}`, last: { text: `of ${all.length}` } });
  })
  .node(
    "approve",
    (_state, to, run) => {
      ran.push("approve");
      const answer = run.answer("ok");
      return answer === undefined ? to.interrupt("ok") : to.write({ notes: `approved: ${answer.ok}` });
    },
    { asks: { ok: { answer: Yes } } },
  )
  .entry("note")
  .branch("note", ({ notes: all }) => (all.at(-2)?.startsWith("ask") === true ? "approve" : END), ["approve", END])
  .compile();

const once =
  (graph: object, input: unknown, answer?: Story["answer"]) =>
  async (engine: Engine): Promise<void> => {
    const threads = threadsOf(engine, graph as AnyStateGraph);
    await toTheEnd(await threads.start("t", input, { id: "r1" }), answer);
  };

function single(graph: Runnable<never, unknown>, input: unknown, answer?: Story["answer"]): Story {
  const { name } = graph;
  const happens = once(graph, input, answer);
  return { name, graph, thread: "t", happens, ...(answer !== undefined && { answer }) };
}

async function turns(engine: Engine): Promise<void> {
  const threads = threadsOf(engine, notes as unknown as AnyStateGraph);
  await toTheEnd(await threads.start("t", { notes: "begin" }, { id: "r1" }));
  await toTheEnd(await threads.start("t", { notes: "ask for more" }, { id: "r2" }), yes);
  await threads.update("t", { notes: "written" }, { asNode: "note", by: "ann" });
  await toTheEnd(await threads.start("t", { notes: "again" }, { id: "r3" }));
  await toTheEnd(await threads.start("t", { notes: "another way" }, { id: "r4", at: "r1:2" }));
  await toTheEnd(await threads.start("t", null, { id: "r5", at: "r2:1" }), yes);
  // What it asks is taken back by an update, and what was left is gone on with.
  await toTheEnd(await threads.start("t", { notes: "ask once more" }, { id: "r6" }));
  await threads.update("t", { notes: "decided" }, { asNode: "approve" });
}

async function mended(engine: Engine): Promise<void> {
  const threads = threadsOf(engine, failing as unknown as AnyStateGraph);
  await toTheEnd(await threads.start("t", {}, { id: "r1" }));
  await toTheEnd(await threads.start("t", null, { id: "r2" }));
}

export const stateGraphs: readonly Story[] = [
  single(merging, { saw: "input" }),
  single(fields, {
    log: "input",
    talk: [
      { id: "m1", text: "hi" },
      { id: "m1", text: "hello" },
    ],
    checked: " some ",
  }),
  single(sending, {}),
  single(joining, {}),
  single(asking, {}, yes),
  { ...single(asking, {}), name: "asking-waiting" },
  single(pausing, {}, () => null),
  single(nesting, { log: "this" }, yes),
  single(telling, {}),
  single(stopping, {}),
  single(endless, {}),
  single(failing, {}),
  { ...single(failing, {}), name: "failing-mended", happens: mended },
  { ...single(notes, {}, yes), name: "notes-turns", happens: turns },
];
