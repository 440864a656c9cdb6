/** What is said of a fork before it is made. */
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { collect, each, graph, interrupt, memory, op, sleep, type Engine, type Ref } from "../../src/index.ts";
import { open } from "./support/engines.ts";

let did: string[] = [];
const fetchPage = op("fetchPage", async ({ url }: { url: string }) => {
  did.push(`fetch ${url}`);
  if (url === "bad") throw new Error("not there");
  return { html: `<${url}>` };
});
const titleOf = op("titleOf", async ({ html }: { html: string }) => {
  did.push(`title ${html}`);
  return { title: html };
});
const list = op("list", async ({ titles }: { titles: string[] }) => {
  did.push("list");
  return { text: titles.join() };
});
const survey = graph("survey", (input: Ref<{ urls: string[] }>) => {
  const { html } = fetchPage({ url: each(input.urls) });
  const { title } = titleOf({ html });
  const { text } = list({ titles: collect(title, { errors: "skip" }) });
  const { ok } = interrupt("publish", { text }, { answer: z.object({ ok: z.boolean() }) });
  return { text, ok, rested: sleep("rest", "1ms", { after: [ok] }) };
});

let engine: Engine;
beforeEach(async () => {
  engine = await open({ backend: memory(), graphs: [survey] });
  const handle = await engine.start(survey, { urls: ["a", "bad", "c"] }, { id: "run" });
  await handle.result();
  await handle.answer("publish", { ok: true });
  await handle.result();
  did = [];
});

test("R15 a preview says what is kept, what runs again and what begins at once, and makes nothing", async () => {
  const patch = { outputs: { "survey/input.urls[0]/fetchPage": { html: "<A>" } } };
  expect(await engine.previewFork("run", { patch })).toEqual({
    runId: "run",
    graph: "survey",
    seq: (await engine.get("run"))!.lastSeq,
    kept: { fetchPage: 2, titleOf: 1 },
    again: { titleOf: 1, list: 1, publish: 1, rest: 1 },
    starts: ["survey/input.urls[0]/titleOf"],
    more: 0,
  });
  expect(did).toEqual([]);
  expect(await engine.list()).toHaveLength(1);
  const fork = await engine.fork("run", { patch });
  await fork.result();
  expect(did).toEqual(["title <A>", "list"]);
});

test("what the run did behind the record counts as done again, and so does what failed and is named", async () => {
  const records = await Array.fromAsync(engine.history("run"));
  const at = records.find(({ path }) => path === "survey/input.urls[0]/titleOf")!.seq;
  const early = await engine.previewFork("run", { at });
  expect(early).toMatchObject({ seq: at, again: { list: 1, publish: 1, rest: 1 } });
  expect(Object.values(early.kept).reduce((a, b) => a + b)).toBe(
    records.filter(({ seq, kind }) => seq <= at && (kind === "output" || kind === "attemptFailed")).length,
  );
  const failed = await engine.previewFork("run", { rerun: ["survey/input.urls[1]/fetchPage"] });
  expect(failed).toMatchObject({
    kept: { fetchPage: 2, titleOf: 2 },
    again: { fetchPage: 1, list: 1, publish: 1, rest: 1 },
    starts: ["survey/input.urls[1]/fetchPage"],
  });
});

test("a fork that would be over at once says so, and one that would be refused is refused", async () => {
  const nothing = { urls: [] };
  const all = await engine.previewFork("run", { at: 1, patch: { input: nothing, outputs: { list: { text: "x" } } } });
  expect(all).toMatchObject({ kept: {}, starts: ["survey/publish"] });
  await expect(engine.previewFork("run")).rejects.toThrow(expect.objectContaining({ code: "NothingToFork" }));
  await expect(engine.previewFork("run", { at: 99 })).rejects.toThrow(
    expect.objectContaining({ code: "SeqOutOfRange" }),
  );
  await expect(engine.previewFork("nobody")).rejects.toThrow(expect.objectContaining({ code: "RunNotFound" }));
  await expect(engine.previewFork("run", { rerun: ["survey/lits"] })).rejects.toThrow(/did you mean "survey\/list"/);
  const quick = graph("quick", (input: Ref<{ n: number }>) => ({ n: one({ n: input.n }).n }));
  const other = await open({ backend: memory(), graphs: [quick] });
  await other.run(quick, { n: 1 }, { id: "run" });
  const ends = await other.previewFork("run", { patch: { outputs: { one: { n: 2 } } } });
  expect(ends).toEqual({
    runId: "run",
    graph: "quick",
    seq: 3,
    kept: {},
    again: {},
    starts: [],
    more: 0,
    ends: "completed",
  });
});
const one = op("one", ({ n }: { n: number }) => ({ n }));

test("P5.1 history leaves large values where they are when it is asked to, and failures are told in any case", async () => {
  const large = op("large", () => ({ text: "x".repeat(100_000) }));
  const breaks = op("breaks", ({ text }: { text: string }): { n: number } => {
    throw Object.assign(new Error("broken"), { data: text });
  });
  const flow = graph("flow", (_input: Ref<{}>) => {
    const { text } = large({});
    return { text, n: breaks({ text }).n };
  });
  const store = memory();
  let read = 0;
  const counted = new Proxy(store, {
    get(of, key) {
      const value: unknown = Reflect.get(of, key, of);
      if (key === "getBlob") read++;
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
  const other = await open({ backend: counted, graphs: [flow] });
  await other.run(flow, {}, { id: "run" }).catch(() => undefined);
  read = 0;
  const entries = await Array.fromAsync(other.history("run", { blobs: false }));
  const output = entries.find(({ kind }) => kind === "output");
  expect(output).toMatchObject({ node: "large", large: true });
  expect(output).not.toHaveProperty("value");
  // Of the failure: its data is one too.
  expect(read).toBe(1);
  expect(entries.find(({ kind }) => kind === "attemptFailed")?.error?.message).toBe("broken");
  const whole = await Array.fromAsync(other.history("run"));
  expect(whole.find(({ kind }) => kind === "output")?.value).toEqual({ text: "x".repeat(100_000) });
  expect(whole.every(({ large: isLarge }) => isLarge === undefined)).toBe(true);
  expect(() => other.history("run", { blobs: "no" as never })).toThrow(/blobs must be true or false/);
});

test("a call whose time was over has it again, and what was done in it stands", async () => {
  let slow = true;
  const quick = op("quick", async ({ n }: { n: number }) => {
    did.push("quick");
    return { n };
  });
  const late = op("late", async ({ n }: { n: number }, { signal }) => {
    did.push("late");
    if (slow) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { n: n + 1 };
  });
  const inner = graph("inner", (input: Ref<{ n: number }>) => ({ n: late({ n: quick({ n: input.n }).n }).n }));
  const outer = graph("outer", (input: Ref<{ n: number }>) => ({
    n: one({ n: inner({ n: input.n }, { timeout: { total: "50ms" } }).n }).n,
  }));
  const other = await open({ backend: memory(), graphs: [outer] });
  await other.run(outer, { n: 1 }, { id: "run" }).catch(() => undefined);
  expect(did).toEqual(["quick", "late"]);
  slow = false;
  const fork = { rerun: ["outer/inner"] };
  expect(await other.previewFork("run", fork)).toMatchObject({ kept: { "inner/quick": 1 }, again: { inner: 1 } });
  did = [];
  expect(await (await other.fork("run", fork)).output()).toEqual({ n: 2 });
  expect(did).toEqual(["late"]);
});
