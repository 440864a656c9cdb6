import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import {
  append,
  collect,
  each,
  END,
  graph,
  interrupt,
  memory,
  op,
  openEngine,
  stateGraph,
  threadsOf,
  type Engine,
  type EngineOptions,
  type Ref,
} from "@millrace/core";
import { otelTraces, traceLabels } from "../src/index.ts";
import { spansInMemory, type Spans } from "./support.ts";

beforeAll(() => {
  new NodeTracerProvider().register();
  return () => context.disable();
});

const yes = {
  "~standard": { version: 1 as const, vendor: "test", validate: (value: unknown) => ({ value: value as boolean }) },
};

async function engineWith({ tracer }: Spans, options: EngineOptions = {}): Promise<Engine> {
  const engine = await openEngine({ warn: () => undefined, ...options, traces: { sinks: [otelTraces({ tracer })] } });
  onTestFinished(() => engine.close());
  return engine;
}

const inner = stateGraph("inner", { state: { log: append<string>() }, nodes: ["x", "y"] })
  .node("x", async (_state, to) => to.write({ log: "x" }))
  .node("y", (_state, to) => to.write({ log: "y" }))
  .entry("x")
  .edge("x", "y")
  .edge("y", END)
  .compile();

const agent = stateGraph("agent", { state: { log: append<string>() }, nodes: ["plan", "ask", "inner"] })
  .node("plan", async (_state, to) => to.write({ log: "canary" }))
  .node(
    "ask",
    (_state, to, run) =>
      run.answer("sure") === undefined ? to.interrupt("sure", "canary?") : to.write({ log: "ask" }),
    { asks: { sure: { answer: yes } } },
  )
  .subgraph("inner", inner, { enter: () => ({}), leave: ({ log }) => ({ log: log.join() }) })
  .entry("plan")
  .branch("plan", () => ["ask", "inner"], ["ask", "inner"])
  .edge("ask", END)
  .edge("inner", END)
  .compile();

describe("S19", () => {
  test("S19 each superstep is a child of the one before, its nodes are under it, and the run goes on in its trace", async () => {
    const spans = spansInMemory();
    const engine = await engineWith(spans, { backend: memory(), graphs: [agent] });
    const threads = threadsOf(engine, agent);
    await (await threads.start("ann", {})).result();
    const turn = [
      "invoke_workflow agent",
      "  invoke_agent agent",
      "    execute_tool branch",
      "    invoke_agent agent",
      "      execute_tool plan",
      "      execute_tool branch",
      "      invoke_agent agent",
      "        execute_tool ask",
      "        execute_tool inner",
      "          invoke_agent inner",
      "            execute_tool x",
      "            invoke_agent inner",
      "              execute_tool y",
      "        execute_tool sure",
    ];
    expect(spans.tree().toSorted()).toEqual(turn.toSorted());
    await (await threads.answer("ann", "sure", true)).result();
    expect(spans.tree().slice(turn.length).toSorted()).toEqual(
      [
        "  invoke_workflow agent",
        "    invoke_agent agent",
        "      execute_tool sure",
        "      execute_tool ask",
        "      execute_tool branch",
      ].toSorted(),
    );
    expect(new Set(spans.all().map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test("S19 a span says the graph, the node and the thread by the names of the conventions, and nothing that was computed", async () => {
    const spans = spansInMemory();
    const engine = await engineWith(spans, { backend: memory(), graphs: [agent] });
    await (await threadsOf(engine, agent).start("ann", { log: "canary" })).result();
    const attributes = (name: string): unknown => spans.all().find((span) => span.name === name)?.attributes;
    const thread = { "gen_ai.conversation.id": "ann" };
    expect(attributes("invoke_workflow agent")).toEqual({
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "agent",
      ...thread,
    });
    expect(attributes("invoke_agent inner")).toEqual({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "inner",
      ...thread,
    });
    expect(attributes("execute_tool plan")).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "plan",
      ...thread,
    });
    const told = spans
      .all()
      .map(({ name, attributes: own, events, links, status }) => ({ name, own, events, links, status }));
    expect(JSON.stringify(told)).not.toContain("canary");
  });
});

test("ops of a graph are under its run; what failed says so, attempts that failed are events, and messages are left out", async () => {
  const spans = spansInMemory();
  let calls = 0;
  const flaky = op("flaky", { retry: { attempts: 2, initial: 1, on: () => true } }, async ({ n }: { n: number }) => {
    if (++calls === 1) throw new TypeError("canary");
    return { n };
  });
  const bad = op("bad", async ({ n }: { n: number }): Promise<{ n: number }> => {
    throw new RangeError(`canary ${n}`);
  });
  const both = graph("both", (input: Ref<{ ns: number[] }>) => ({
    all: collect(bad({ n: flaky({ n: each(input.ns) }).n }).n, { errors: "skip" }),
  }));
  const engine = await engineWith(spans);
  await (await engine.start(both, { ns: [1, 2] })).result();
  expect(spans.tree().toSorted()).toEqual([
    "  execute_tool bad !",
    "  execute_tool bad !",
    "  execute_tool flaky",
    "  execute_tool flaky",
    "invoke_workflow both",
  ]);
  const events = spans
    .all()
    .flatMap((span) =>
      span.events.map(({ name, attributes }) => `${span.name}: ${name} ${JSON.stringify(attributes)}`),
    );
  expect(events.toSorted((a, b) => a.localeCompare(b))).toEqual([
    'execute_tool bad: exception {"exception.type":"RangeError"}',
    'execute_tool bad: exception {"exception.type":"RangeError"}',
    'execute_tool flaky: exception {"exception.type":"TypeError"}',
  ]);
  const types = spans.all().flatMap(({ attributes }) => attributes["error.type"] ?? []);
  expect(types).toEqual(["RangeError", "RangeError"]);
});

test("a run that fails says so with the class of what was thrown", async () => {
  const spans = spansInMemory();
  const bad = op("bad", async (_input: object): Promise<object> => {
    throw new RangeError("no");
  });
  const engine = await engineWith(spans);
  expect(await (await engine.start(bad, {})).result()).toMatchObject({ status: "failed" });
  const run = spans.all().find(({ name }) => name === "invoke_workflow bad");
  expect(run?.attributes["error.type"]).toBe("RangeError");
  expect(spans.tree()).toEqual(["invoke_workflow bad !", "  execute_tool bad !"]);
});

const hello = op("hello", async ({ name }: { name: string }) => ({ text: `hello ${name}` }));
const asking = graph("asking", (input: Ref<{ name: string }>) => {
  const { text } = hello({ name: input.name });
  const sure = interrupt("sure", text, { answer: yes });
  return { sure, again: hello({ name: input.name }, { name: "again", after: [sure] }).text };
});

test("a run is under the span that is active where it is started", async () => {
  const spans = spansInMemory();
  const engine = await engineWith(spans, { backend: memory() });
  await spans.tracer.startActiveSpan("request", async (span) => {
    await engine.run(hello, { name: "Ann" });
    span.end();
  });
  expect(spans.tree()).toEqual(["request", "  invoke_workflow hello", "    execute_tool hello"]);
});

test("S19 with its label a run is one trace over processes, in which nothing is told twice", async () => {
  const spans = spansInMemory();
  const backend = memory();
  const first = await engineWith(spans, { backend, graphs: [asking] });
  const id = await spans.tracer.startActiveSpan("request", async (span) => {
    const handle = await first.start(asking, { name: "Ann" }, { labels: traceLabels() });
    await handle.result();
    span.end();
    return handle.runId;
  });
  await first.close();
  const second = await engineWith(spans, { backend: backend.another(), graphs: [asking] });
  const other = trace.setSpan(ROOT_CONTEXT, spans.tracer.startSpan("other", {}, ROOT_CONTEXT));
  await context.with(other, async () => {
    await second.answer(id, "sure", true);
    await (await second.resume(id).catch(() => null))?.result();
  });
  await expect.poll(async () => (await second.get(id))?.status).toBe("completed");
  await expect
    .poll(() => spans.tree())
    .toEqual([
      "request",
      "  invoke_workflow asking",
      "    execute_tool hello",
      "    execute_tool sure",
      "  invoke_workflow asking",
      "    execute_tool sure",
      "    execute_tool again",
    ]);
});

test("a label that says nothing is left alone, and without an active span there is none", async () => {
  const spans = spansInMemory();
  expect(traceLabels()).toEqual({});
  const engine = await engineWith(spans);
  for (const traceparent of [
    "",
    "00-x-y-01",
    `00-${"0".repeat(32)}-${"0".repeat(16)}-01`,
    `00-${"a".repeat(32)}-${"b".repeat(16)}`,
  ])
    await (await engine.start(hello, { name: "Ann" }, { labels: { traceparent } })).result();
  expect(spans.tree().filter((line) => line === "invoke_workflow hello")).toHaveLength(4);
});

test("an engine that closes ends the spans of what is at work", async () => {
  const spans = spansInMemory();
  const stuck = op("stuck", (_input: object) => new Promise<object>(() => undefined));
  const engine = await engineWith(spans, { backend: memory() });
  const handle = await engine.start(stuck, {});
  handle.result().catch(() => undefined);
  await expect.poll(async () => (await engine.get(handle.runId))?.status).toBe("running");
  await engine.close();
  expect(spans.tree()).toEqual(["invoke_workflow stuck", "  execute_tool stuck"]);
});
