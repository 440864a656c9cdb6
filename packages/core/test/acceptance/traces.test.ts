import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  collect,
  each,
  graph,
  interrupt,
  memory,
  memoryTraces,
  op,
  openEngine,
  push,
  append,
  cell,
  type Engine,
  type EngineOptions,
  type LogEntry,
  type Ref,
  type TraceInvocation,
} from "../../src/index.ts";
import { listTraces, projectTracesFile, readTrace, sqliteTraces } from "../../src/node/index.ts";
import { Child } from "./support/child.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { folder } from "./support/files.ts";
import { eventually, gate } from "./support/gate.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";

const fetchPage = op(
  "fetchPage",
  { retry: { attempts: 2, initial: 100, jitter: "none", on: () => true } },
  async ({ url }: { url: string }, ctx) => {
    if (url === "flaky" && ctx.attempt === 1) throw new TypeError("no answer");
    if (url === "dead") throw new RangeError("gone");
    return { html: `<h1>${url}</h1>` };
  },
);
const words = op("words", function* ({ html }: { html: string }) {
  for (const word of html.split(/<|>/)) if (word !== "") yield { word };
});
const title = op("title", ({ html }: { html: string }) => ({ title: html.slice(4, -5) }));
const pages = cell("pages", append<string>());
const survey = graph("survey", (input: Ref<{ urls: string[] }>) => {
  const { html } = fetchPage({ url: each(input.urls) }, { parallel: 2 });
  push(pages, title({ html }).title);
  return {
    titles: collect(title({ html }, { name: "again" }).title, { errors: "skip" }),
    words: collect(words({ html: "<b>" }).word),
  };
});

test("a trace has one record per invocation and per yield, with attempts, root causes, sources and times", async () => {
  const clock = new VirtualClock();
  const traces = memoryTraces();
  const engine = await open({ clock, traces: { sinks: [traces] } });
  const handle = await engine.start(survey, { urls: ["ok", "flaky", "dead"] });
  await clock.until(handle.result());
  const trace = traces.trace(handle.runId)!;
  expect(trace.run).toMatchObject({ graph: "survey", status: "completed", startedAt: clock.start, dropped: 0 });
  const by = (path: string): TraceInvocation | undefined =>
    trace.invocations.find((invocation) => invocation.path === path);
  expect(by("survey/input.urls[1]/fetchPage")).toMatchObject({
    node: "fetchPage",
    kind: "op",
    status: "finished",
    attempts: 2,
    startedAt: clock.start,
    endedAt: clock.start + 100,
    upstream: ["input"],
    input: '{"url":"flaky"}',
    output: '{"html":"<h1>flaky</h1>"}',
    error: null,
  });
  expect(trace.attempts.filter(({ path }) => path === "survey/input.urls[1]/fetchPage")).toMatchObject([
    {
      attempt: 1,
      startedAt: clock.start,
      endedAt: clock.start,
      retryInMs: 100,
      error: { type: "TypeError", message: "no answer" },
    },
    { attempt: 2, startedAt: clock.start + 100, endedAt: clock.start + 100, retryInMs: null, error: null },
  ]);
  expect(by("survey/input.urls[2]/fetchPage")).toMatchObject({
    status: "failed",
    attempts: 2,
    error: { type: "RangeError" },
  });
  expect(by("survey/input.urls[2]/title")).toMatchObject({
    status: "skipped",
    because: "fetchPage",
    at: "survey/input.urls[2]/fetchPage",
    startedAt: null,
  });
  expect(by("survey/words")).toMatchObject({ yields: 1, upstream: [] });
  expect(trace.yields).toMatchObject([{ path: "survey/words", index: 0, output: '{"word":"b"}' }]);
  expect(by("survey/input")).toMatchObject({ kind: "input", output: '{"urls":["ok","flaky","dead"]}' });
  // Nodes that only move values are left out; every op call and the input is there once.
  expect(trace.invocations).toHaveLength(3 * 3 + 1 + 1);
});

test("F27 a failed attempt shows type, message and the user's own frames first", async () => {
  const traces = memoryTraces();
  const engine = await open({ traces: { sinks: [traces] } });
  const handle = await engine.start(survey, { urls: ["dead"] });
  await handle.result();
  const { error } = traces.trace(handle.runId)!.invocations.find(({ status }) => status === "failed")!;
  expect(error).toMatchObject({ type: "RangeError", message: "gone" });
  expect(error?.frames[0]).toMatch(/acceptance\/traces\.test\.ts:\d+:\d+$/);
  expect(error?.frames.join()).not.toContain("packages/core/src");
});

test("a secret in an excluded field is in no sink, wherever it stands in a value", async () => {
  const traces = memoryTraces();
  const secret = "canary-5be1";
  const login = op(
    "login",
    async (input: { user: { password: string; name: string }; keys: { apiKey: string }[] }) => ({
      session: { token: input.user.password },
      user: input.user.name,
      map: new Map([["apiKey", input.keys[0]?.apiKey]]),
    }),
  );
  const use = op("use", async ({ token }: { token: string }) => ({ length: token.length }));
  const flow = graph("flow", (input: Ref<{ user: { password: string; name: string }; keys: { apiKey: string }[] }>) => {
    const { session } = login({ user: input.user, keys: input.keys });
    return use({ token: session.token });
  });
  const exclude = [
    "login.input.user.password",
    "*.input.keys.apiKey",
    "login.output.*.apiKey",
    "login.output.session",
    "use.input",
    "input.output.user.password",
    "input.output.keys.*",
  ];
  const engine = await open({ traces: { sinks: [traces], exclude } });
  await engine.run(flow, { user: { password: secret, name: "ann" }, keys: [{ apiKey: secret }] });
  const text = JSON.stringify(traces.records);
  expect(text).not.toContain(secret);
  expect(text).toContain("[excluded]");
  expect(text).toContain("ann");
});

test("include records only the parts it names, a pattern that cannot match and a wrong limit are refused", async () => {
  const traces = memoryTraces();
  const engine = await open({
    traces: { sinks: [traces], include: ["title.output", "fetchPage.input.url"], exclude: ["title.output.title"] },
  });
  const handle = await engine.start(survey, { urls: ["ok"] });
  await handle.result();
  const { invocations } = traces.trace(handle.runId)!;
  const values = Object.fromEntries(invocations.map(({ node, input, output }) => [node, [input, output]]));
  expect(values).toMatchObject({
    fetchPage: ['{"url":"ok"}', '"[excluded]"'],
    title: ['"[excluded]"', '{"title":"[excluded]"}'],
    input: [null, '"[excluded]"'],
  });
  for (const exclude of ["login.inputs.x", "login.", "", "a b.input"])
    await expect(open({ traces: { sinks: [], exclude: [exclude] } })).rejects.toMatchObject({ code: "InvalidOption" });
  await expect(open({ traces: { sinks: [], limits: { value: 0 } } })).rejects.toThrow(/at least 1/);
  await expect(open({ traces: { sinks: [{}] } as never })).rejects.toThrow(/write method/);
  await expect(open({ traces: { sinks: [], exlude: [] } as never })).rejects.toThrow(/did you mean "exclude"/);
});

describe("a pattern that matches no node is said, once, with the names that it may have meant", () => {
  const login = op("login", async ({ password }: { password: string }) => ({ ok: password !== "" }));
  const inner = graph("inner", (input: Ref<{ password: string }>) => ({ ok: login({ password: input.password }).ok }));
  const outer = graph("outer", (input: Ref<{ password: string }>) => ({ ok: inner({ password: input.password }).ok }));
  const say = op("say", async ({ text }: { text: string }) => ({ text }));
  const other = graph("other", (input: Ref<{ text: string }>) => ({ text: say({ text: input.text }).text }));
  const lines: LogEntry[] = [];
  const opened = async (options: EngineOptions): Promise<Engine> => {
    lines.length = 0;
    const engine = await openEngine({ log: (entry) => void lines.push(entry), ...options });
    onTestFinished(() => engine.close());
    return engine;
  };
  const sinks = [memoryTraces()];

  test("among the graphs that the engine was opened with", async () => {
    const exclude = ["logn.input.password", "login.input", "inner/login.output", "*.input.token", "say"];
    const engine = await opened({ graphs: [outer, other], traces: { sinks, exclude, include: ["sya.output"] } });
    const names = "the nodes are input, inner/login, say";
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      [
        "warn",
        `millrace: traces.include "sya.output" matches no node of "outer" or "other"; did you mean say? ${names}`,
      ],
      [
        "warn",
        `millrace: traces.exclude "logn.input.password" matches no node of "outer" or "other"; did you mean inner/login? ${names}`,
      ],
      [
        "warn",
        `millrace: traces.exclude "login.input" matches no node of "outer" or "other"; did you mean inner/login? ${names}`,
      ],
    ]);
    await engine.run(outer, { password: "p" });
    await engine.run(outer, { password: "p" });
    expect(lines).toHaveLength(3);
  });

  test("and at the first run of a graph that it was not told of, unless another one has the node", async () => {
    const engine = await opened({ traces: { sinks, exclude: ["inner/login.input", "lgin.input"] } });
    expect(lines).toEqual([]);
    await engine.run(inner, { password: "p" });
    await engine.run(inner, { password: "p" });
    expect(lines.map(({ message }) => message)).toEqual([
      expect.stringMatching(/exclude "inner\/login\.input" matches no node of "inner"/),
      expect.stringMatching(/exclude "lgin\.input" matches no node of "inner"; did you mean login\?/),
    ]);
    await engine.run(outer, { password: "p" });
    expect(lines.slice(2).map(({ message }) => message)).toEqual([expect.stringMatching(/"lgin\.input".* "outer"/)]);
    await engine.run(other, { text: "t" });
    expect(lines.slice(3).map(({ message }) => message)).toEqual([expect.stringMatching(/"lgin\.input".* "other"/)]);
  });
});

test("values are cut with a mark, and a full trace counts what it leaves out", async () => {
  const traces = memoryTraces();
  const engine = await open({ traces: { sinks: [traces], limits: { value: 200, records: 5 } } });
  const big = op("big", ({ k }: { k: number }) => ({
    k,
    text: "x".repeat(10_000),
    list: Array.from({ length: 5_000 }, (_, i) => i),
    loop: (() => {
      const self: { self?: unknown } = {};
      self.self = self;
      return self;
    })(),
  }));
  const flow = graph("flow", (input: Ref<{ ks: number[] }>) => ({ ks: big({ k: each(input.ks) }).k }));
  const handle = await engine.start(flow, { ks: Array.from({ length: 20 }, (_, k) => k) });
  await handle.result();
  const { run, invocations } = traces.trace(handle.runId)!;
  expect(invocations).toHaveLength(5);
  // 20 calls and the input, of which five fit.
  expect(run).toMatchObject({ status: "completed" });
  expect(run.dropped).toBeGreaterThanOrEqual(16);
  const output = invocations.find(({ node }) => node === "big")?.output ?? "";
  expect(output.length).toBeLessThan(600);
  expect(output).toMatch(/x… \[\d+ more characters\]/);
  expect(JSON.parse(output)).toBeTypeOf("object");
});

test("a sink that fails is reported once and breaks no run", async () => {
  const warnings: string[] = [];
  const traces = memoryTraces();
  const broken = {
    write() {
      throw new Error("disk full");
    },
    close() {
      throw new Error("again");
    },
  };
  const engine = await open({ warn: (text) => warnings.push(text), traces: { sinks: [broken, traces] } });
  expect(await engine.run(title, { html: "<h1>a</h1>" })).toEqual({ title: "a" });
  await engine.close();
  expect(warnings).toEqual(["millrace: traces are not written any more: disk full"]);
  expect(traces.records.length).toBeGreaterThan(2);
});

test("P2.1 a trace file is read by others while the run is blocked in its second op", async () => {
  const file = join(folder(), "sub", ".millrace", "traces.db");
  const engine = await open({ traces: { sinks: [sqliteTraces(file)] } });
  const door = gate();
  const first = op("first", async () => ({ x: 1 }));
  const second = op("second", async ({ x }: { x: number }) => {
    await door.opened;
    return { x: x + 1 };
  });
  const flow = graph("flow", () => second({ x: first({}).x }));
  const handle = await engine.start(flow, {}, { id: "r" });
  await eventually(
    "the second op is in the file",
    () => readTrace(file, "r")?.invocations.some(({ node }) => node === "second") === true,
  );
  expect(readTrace(file, "r")).toMatchObject({
    run: { status: "running", graph: "flow", endedAt: null },
    invocations: [
      { node: "input" },
      { node: "first", status: "finished", output: '{"x":1}' },
      { node: "second", status: "running", upstream: ["first"] },
    ],
  });
  door.open();
  await handle.result();
  await engine.close();
  expect(readTrace(file, "r")).toMatchObject({
    run: { status: "completed" },
    invocations: [{}, {}, { status: "finished", output: '{"x":2}' }],
  });
  expect(listTraces(file)).toMatchObject([{ runId: "r", status: "completed" }]);
  expect(readFileSync(join(file, "..", ".gitignore"), "utf8")).toBe("*\n");
  expect(readTrace(file, "nobody")).toBeUndefined();
  expect(readTrace(join(file, "..", "nothing.db"), "r")).toBeUndefined();
});

test("a run that goes on after a crash goes on in its trace, with the attempts of both lives", async () => {
  const clock = new VirtualClock();
  const backend = memory();
  const before = await open({ backend, clock });
  const whole = await before.start(survey, { urls: ["flaky"] }, { id: "r" });
  await clock.until(whole.result());
  const recording = await recordingOf(backend, "r");
  const failed = recording.records.findIndex(([kind]) => kind === 4);
  const file = join(folder(), "traces.db");
  const first = await open({ backend: memory(), clock, traces: { sinks: [sqliteTraces(file)] } });
  await first.start(survey, { urls: ["flaky"] }, { id: "r" });
  await clock.advance(50);
  await first.close();
  const next = await open({
    backend: await crashedBehind(recording, failed + 1),
    graphs: [survey],
    clock,
    traces: { sinks: [sqliteTraces(file)] },
  });
  await clock.until(next.recovered[0]!.result());
  await next.close();
  const trace = readTrace(file, "r")!;
  const path = "survey/input.urls[0]/fetchPage";
  expect(trace.run.status).toBe("completed");
  expect(trace.invocations.find((invocation) => invocation.path === path)).toMatchObject({
    status: "finished",
    attempts: 2,
    input: '{"url":"flaky"}',
  });
  expect(trace.attempts.filter((attempt) => attempt.path === path)).toMatchObject([
    { attempt: 1, error: { message: "no answer" } },
    { attempt: 2, error: null },
  ]);
});

test("F11 F12 a script in a project traces under its declared name into the project's folder, and a secret that is excluded is in no file and no output", async () => {
  const project = folder();
  writeFileSync(join(project, "package.json"), "{}");
  const script = new Child("traced", [project]);
  expect(await script.exit()).toBe(0);
  const { stdout, stderr } = script;
  const file = projectTracesFile(join(project, "deeper"));
  expect(file).toBe(join(project, ".millrace", "traces.db"));
  const [run] = listTraces(file);
  expect(run).toMatchObject({ graph: "declaredName", status: "completed" });
  const { invocations } = readTrace(file, run!.runId)!;
  expect(invocations.find(({ node }) => node === "login")).toMatchObject({
    input: '{"user":"ann","password":"[excluded]"}',
  });
  const files = readdirSync(join(project, ".millrace")).map((name) => readFileSync(join(project, ".millrace", name)));
  expect(files.length).toBeGreaterThan(0);
  for (const bytes of files) expect(bytes.includes("canary-7f3a")).toBe(false);
  expect(stdout + stderr).not.toContain("canary-7f3a");
});

for (const [where, backend] of [
  ["without a backend", () => undefined],
  ["with one", memory],
] as const) {
  test(`a question is waiting in its run's trace until it is answered, also when the run left the process meanwhile, ${where}`, async () => {
    const traces = memoryTraces();
    const store = backend();
    const yes = op("yes", ({ ok }: { ok: boolean }) => ({ ok }));
    const flow = graph("flow", (input: Ref<{ who: string }>) => {
      const answer = interrupt("approve", { to: input.who }, { answer: z.object({ ok: z.boolean() }) });
      return { ok: yes({ ok: answer.ok }).ok };
    });
    const engine = await open({
      graphs: [flow],
      traces: { sinks: [traces] },
      ...(store !== undefined && { backend: store }),
    });
    const handle = await engine.start(flow, { who: "ann" }, { id: "r" });
    expect(await handle.result()).toMatchObject({ status: "interrupted", cells: {} });
    const asked = (): TraceInvocation | undefined =>
      traces.trace("r")?.invocations.find(({ node }) => node === "approve");
    expect(asked()).toMatchObject({ kind: "ask", status: "waiting", input: '{"to":"ann"}', endedAt: null });
    const parked = await handle.result();
    const [question] = parked.status === "interrupted" ? parked.interrupts : [];
    await handle.answer(question!.id, { ok: true });
    await eventually("the run is done", () => traces.trace("r")?.run.status === "completed");
    expect(asked()).toMatchObject({ status: "finished", output: '{"ok":true}' });
    expect(traces.trace("r")?.invocations.find(({ node }) => node === "yes")).toMatchObject({ upstream: ["approve"] });
  });
}
