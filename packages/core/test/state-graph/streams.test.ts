/** What streams of state graphs tell. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  END,
  last,
  memory,
  memoryTraces,
  stateGraph,
  threadsOf,
  type GraphEvent,
  type GraphPlace,
  type StateGraph,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { open } from "../acceptance/support/engines.ts";
import { folder, Gate, places } from "./support/places.ts";

interface State {
  readonly log: string[];
  readonly n: number;
}
type Words = StateGraph<State, { readonly log?: string; readonly n?: number }, "think" | "ask" | "inner">;

const child = stateGraph("child", { state: { n: last(0) }, nodes: ["add"] })
  .node("add", ({ n }, to, run) => {
    run.emit("adding", n);
    return to.write({ n: n + 1 });
  })
  .compile();

/** A body that tells and is tried twice; then one that asks, beside a subgraph. */
function words(gate: Gate): Words {
  return stateGraph("words", { state: { log: append<string>(), n: last(0) }, nodes: ["think", "ask", "inner"] })
    .node(
      "think",
      async function* (_state, to, run) {
        yield `try ${run.attempt}`;
        await gate.opened;
        if (run.attempt === 1) throw new Error("once more");
        return [to.write({ log: "thought" }), to.write({ log: "twice" })];
      },
      { retry: { attempts: 2, initial: 0, on: () => true } },
    )
    .node(
      "ask",
      (_state, to, run) => {
        const said = run.answer("what");
        return said === undefined ? to.interrupt("what", "?") : to.write({ log: said });
      },
      { asks: { what: { answer: z.string() } } },
    )
    .subgraph("inner", child, { enter: ({ n }) => ({ n }), leave: ({ n }) => ({ n }) })
    .entry("think")
    .edge("think", "ask")
    .edge("think", "inner")
    .edge("ask", END)
    .edge("inner", END)
    .compile();
}

function brief(event: GraphEvent<unknown, unknown>): readonly unknown[] {
  const where = event.within === undefined ? [] : [event.within.join("/")];
  switch (event.event) {
    case "values":
      return [...where, "values", event.step, event.state, event.next];
    case "interrupted":
      return ["interrupted", event.interrupts.map(({ payload }) => payload)];
    case "ended":
      return ["ended", event.result.status];
    case "custom":
      return [...where, event.node, "custom", event.name, event.value];
    case "updates":
      return [...where, event.node, "updates", ...event.updates];
    case "asked":
      return [...where, event.node, "asked", event.question, event.payload];
    case "answered":
      return [...where, event.node, event.as, event.question, event.answer];
    default:
      return [...where, event.node, event.event];
  }
}

async function read(events: AsyncIterable<{ readonly event: GraphEvent["event"] }>): Promise<GraphEvent[]> {
  const all: GraphEvent[] = [];
  for await (const event of events) all.push(event as GraphEvent);
  return all;
}

const thought = ["thought", "twice"];
const begins = [
  ["values", 0, { log: [], n: 0 }, ["think"]],
  ["think", "started"],
  ["think", "custom", undefined, "try 1"],
  ["think", "retrying"],
  ["think", "reset"],
  ["think", "custom", undefined, "try 2"],
  ["think", "updates", { log: "thought" }, { log: "twice" }],
  ["think", "finished"],
  ["values", 1, { log: thought, n: 0 }, ["ask", "inner"]],
];
const answered = [
  ["ask", "answered", "what", "ho"],
  ["ask", "started"],
  ["ask", "updates", { log: "ho" }],
  ["ask", "finished"],
  ["values", 2, { log: [...thought, "ho"], n: 1 }, []],
  ["ended", "completed"],
];
/** In order within each of them; which of the two is first is nobody's business. */
const side = {
  ask: [
    ["ask", "started"],
    ["ask", "asked", "what", "?"],
  ],
  inner: [
    ["inner", "started"],
    ["inner", "values", 0, { n: 0 }, ["add"]],
    ["inner", "add", "started"],
    ["inner", "add", "custom", "adding", 0],
    ["inner", "add", "updates", { n: 1 }],
    ["inner", "add", "finished"],
    ["inner", "values", 1, { n: 1 }, []],
    ["inner", "updates", { n: 1 }],
    ["inner", "finished"],
  ],
};

describe.each(places)("on %s", (_kind, place) => {
  test("S21 a streamed turn tells what its tasks do and the values of each superstep, then what it waits for; an answered one likewise", async () => {
    const gate = new Gate();
    const graph = words(gate);
    const engine = await open({ backend: place(), graphs: [graph] });
    const threads = threadsOf(engine, graph);
    const stream = await threads.stream("t", {});
    const first: GraphEvent[] = [];
    for await (const event of stream) {
      first.push(event);
      // It is told while the body runs.
      if (event.event === "custom") gate.open();
    }
    const told = first.map(brief);
    expect(told.slice(0, begins.length)).toEqual(begins);
    const beside = told.slice(begins.length, -1);
    expect(beside.filter(([node]) => node === "ask")).toEqual(side.ask);
    expect(beside.filter(([node]) => node === "inner")).toEqual(side.inner);
    expect(told.at(-1)).toEqual(["interrupted", ["?"]]);
    const handle = await threads.answer("t", "what", "ho");
    const after = first.at(-1)!;
    expect((await read(await threads.events(handle, { after }))).map(brief)).toEqual(answered);

    // Who comes when all is over is told the same, but for what an attempt told that came to nothing.
    const whole = await read(await threads.events(handle.runId));
    const later = whole.map(brief).filter(([node]) => node !== "ask" && node !== "inner");
    const lasting = begins.filter(([, what, , value]) => !(what === "custom" && value === "try 1"));
    expect(later).toEqual([...lasting, ...answered.slice(-2)]);
    // Who comes back behind any event is told the rest; a body that was under way is told to have started once more.
    for (const [at, had] of whole.entries()) {
      const place_: GraphPlace = had;
      const rest = await read(await threads.events(handle.runId, { after: place_ }));
      const without = (all: readonly GraphEvent[]): unknown[] =>
        all.filter(({ event }) => event !== "started").map(brief);
      expect([at, without(rest)]).toEqual([at, without(whole.slice(at + 1))]);
    }
  });

  test("S21 a turn that goes on after a failure is streamed too, without the tasks that had finished", async () => {
    let works = false;
    const graph = stateGraph("mended", { state: { log: append<string>() }, nodes: ["start", "good", "bad"] })
      .node("start", () => [])
      .node("good", (_state, to) => to.write({ log: "good" }))
      .node("bad", (_state, to) => {
        if (!works) throw new Error("not yet");
        return to.write({ log: "bad" });
      })
      .entry("start")
      .edge("start", "good")
      .edge("start", "bad")
      .compile();
    const engine = await open({ backend: place(), graphs: [graph] });
    const threads = threadsOf(engine, graph);
    const failed = (await read(await threads.stream("t", {}))).map(brief);
    expect(failed.slice(-2)).toEqual([
      ["bad", "failed"],
      ["ended", "failed"],
    ]);
    works = true;
    expect((await read(await threads.stream("t", null))).map(brief)).toEqual([
      ["bad", "started"],
      ["bad", "updates", { log: "bad" }],
      ["bad", "finished"],
      ["values", 2, { log: ["good", "bad"] }, []],
      ["ended", "completed"],
    ]);
  });
});

test("S21 a reader that leaves ends the turn only if it says so, and one that is slow loses nothing", async () => {
  const gate = new Gate();
  const graph = stateGraph("many", { state: { n: last(0) }, nodes: ["count", "wait"] })
    .node("count", ({ n }, to) => [to.write({ n: n + 1 }), ...(n < 19 ? [to.goto("count")] : [])])
    .node("wait", async (_state, to) => {
      await gate.opened;
      return to.write({ n: 100 });
    })
    .entry("count")
    .edge("count", "wait")
    .compile();
  const engine = await open({ backend: memory(), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  for await (const event of await threads.stream("leaves", {})) if (event.event === "values") break;
  const [run] = await engine.list({ thread: "leaves" });
  const slow = await threads.events(run!.id, { buffer: 2 });
  const ends = await threads.start("ends", {});
  for await (const event of await threads.events(ends, { cancelOnBreak: true })) if (event.event === "values") break;
  expect((await ends.result()).status).toBe("cancelled");
  gate.open();
  const steps = (await read(slow)).flatMap((event) => (event.event === "values" ? [event.step] : []));
  expect(steps).toEqual(Array.from({ length: 22 }, (_, step) => step));
  expect((await threads.state("leaves"))!.state).toEqual({ n: 100 });
});

test("S21 a turn that rests or is over is streamed in any process; so is one that another engine drives", async () => {
  const path = join(folder(), "runs.db");
  const gate = new Gate();
  const graph = words(gate);
  const engine = await open({ backend: sqlite(path, { synchronous: "off" }), graphs: [graph] });
  const threads = threadsOf(engine, graph);
  const handle = await threads.start("t", {});
  const other = await open({ backend: sqlite(path, { synchronous: "off" }), graphs: [graph], recover: false });
  const there = threadsOf(other, graph);
  const following = read(await there.events(handle.runId));
  gate.open();
  await handle.result();
  const here = await read(await threads.events(handle.runId));
  expect((await following).map(brief)).toEqual(here.map(brief));
  expect(here.at(-1)).toMatchObject({ event: "interrupted" });
  await engine.close();
  expect((await read(await there.events(handle.runId))).map(brief)).toEqual(here.map(brief));
});

test("the state that is streamed behind each superstep is not in traces besides", async () => {
  const traces = memoryTraces();
  const graph = stateGraph("traced", { state: { n: last(0) }, nodes: ["a", "b"] })
    .node("a", (_state, to) => to.write({ n: 1 }))
    .node("b", ({ n }, to) => to.write({ n: n + 1 }))
    .entry("a")
    .edge("a", "b")
    .compile();
  const engine = await open({ backend: memory(), graphs: [graph], traces: { sinks: [traces] } });
  const handle = await engine.start(graph, {});
  await handle.output();
  const { invocations } = traces.trace(handle.runId)!;
  expect(invocations.filter(({ node }) => node === "superstep/board")).toEqual([]);
  const bodies = invocations.filter(({ node }) => node.endsWith("/body"));
  expect(bodies.map(({ node }) => node)).toEqual(["superstep/node/a/body", "superstep/node/b/body"]);
  expect(bodies.flatMap(({ upstream }) => upstream)).not.toContain("superstep/board");
});
