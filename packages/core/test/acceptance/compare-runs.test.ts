/** What differs between two runs, by their journals. */
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  compareRuns,
  derive,
  each,
  graph,
  interrupt,
  memory,
  op,
  when,
  type CompareOptions,
  type Engine,
  type Ref,
  type RunDifference,
} from "../../src/index.ts";
import { crashedBehind, recordingOf } from "./support/journal.ts";
import { open, resumedOn } from "./support/engines.ts";

const fetchPage = op("fetchPage", async ({ url }: { url: string }) => {
  if (url === "bad") throw new RangeError("it is bad");
  return { html: `<${url}>` };
});
const words = op("words", function* ({ text }: { text: string }) {
  for (const word of text.split(",")) yield { word };
});
const shout = op("shout", ({ word }: { word: string }) => ({ word: word.toUpperCase() }));
const large = op("large", ({ text }: { text: string }) => ({ text: text.padEnd(100_000, ".") }));
const survey = graph("survey", (input: Ref<{ urls: string[] }>) => {
  const text = derive(collect(fetchPage({ url: each(input.urls) }).html, { errors: "skip" }), (all) => all.join());
  const chosen = when(
    "gate",
    derive(text, (all) => all.length > 8),
    () => ({ size: derive(large({ text }).text, (all) => all.length) }),
    () => ({ size: derive(text, (all) => all.length) }),
  );
  const { ok } = interrupt("approve", { text }, { answer: z.object({ ok: z.boolean() }) });
  return { all: collect(shout({ word: words({ text }).word }).word), size: chosen.size, ok };
});

let store: ReturnType<typeof memory>;
let engine: Engine;
beforeEach(async () => {
  store = memory();
  engine = await open({ backend: store, graphs: [survey] });
});

async function run(id: string, urls: string[], ok = true): Promise<void> {
  const handle = await engine.start(survey, { urls }, { id });
  await handle.result();
  await handle.answer("approve", { ok }, { by: id });
  await handle.result();
}

async function compared(
  a: string,
  b: string,
  options: CompareOptions = {},
): Promise<{ common: number; different: number; all: RunDifference[] }> {
  const { common, different, differences } = await compareRuns(store, a, b, options);
  return { common, different, all: await Array.fromAsync(differences) };
}

test("runs that came to the same do not differ, whoever answered and whenever", async () => {
  await run("one", ["a", "bad"]);
  await run("two", ["a", "bad"]);
  expect(await compared("one", "two")).toEqual({ common: 11, different: 0, all: [] });
});

test("values, failures, items, arms, questions, answers and ends that differ are told, each where it is", async () => {
  await run("one", ["a", "bad"]);
  await run("two", ["a", "b", "c"], false);
  const { all, different } = await compared("one", "two", { graphs: [survey] });
  expect(different).toBe(all.length);
  const at = (path: string, kind: string): unknown => all.find((found) => found.path === path && found.what === kind);
  expect(all[0]).toEqual({
    what: "input",
    node: "",
    items: [],
    a: { value: { urls: ["a", "bad"] } },
    b: { value: { urls: ["a", "b", "c"] } },
  });
  expect(at("survey/input.urls[1]/fetchPage", "result")).toMatchObject({
    node: "fetchPage",
    items: [1],
    a: { error: { type: "RangeError", message: "it is bad" } },
    b: { value: { html: "<b>" } },
  });
  expect(at("survey/input.urls[2]/fetchPage", "result")).toEqual({
    what: "result",
    node: "fetchPage",
    items: [2],
    path: "survey/input.urls[2]/fetchPage",
    b: { value: { html: "<c>" } },
  });
  expect(at("survey/gate", "choice")).toMatchObject({ a: { choice: 1 }, b: { choice: 0 } });
  const rest = all.map(({ what, node, items, index, a, b }) => [what, node, items.join(), index, a, b]);
  expect(rest).toEqual(
    expect.arrayContaining([
      ["question", "approve", "", undefined, { value: { text: "<a>" } }, { value: { text: "<a>,<b>,<c>" } }],
      ["item", "words", "", 1, undefined, { value: { word: "<b>" } }],
      ["result", "shout", "2", undefined, undefined, { value: { word: "<C>" } }],
      ["answer", "approve", "", undefined, { value: { ok: true }, by: "one" }, { value: { ok: false }, by: "two" }],
      [
        "end",
        "",
        "",
        undefined,
        { status: "completed", value: { all: ["<A>"], size: 3, ok: true } },
        { status: "completed", value: { all: ["<A>", "<B>", "<C>"], size: 100_000, ok: false } },
      ],
    ]),
  );
});

test("a fork differs from its origin by what is different, and has the rest in common", async () => {
  await run("one", ["a", "b"]);
  const patch = { outputs: { "survey/input.urls[0]/fetchPage": { html: "<x>" } } };
  const fork = await engine.fork("one", { patch, id: "fork" });
  await fork.result();
  await fork.answer("approve", { ok: true }, { by: "somebody else" });
  await fork.result();
  const { a, b, differences, common } = await compareRuns(store, "one", "fork");
  expect([a.forkedFrom, b.forkedFrom]).toEqual([undefined, { runId: "one", seq: (await store.get("one"))!.lastSeq }]);
  // Graph, input, the other page, the arm, and what did not change of answer and items.
  expect(common).toBeGreaterThan(3);
  expect((await Array.fromAsync(differences)).map(({ what, node }) => [what, node].join(" ")).toSorted()).toEqual([
    "end ",
    "item words",
    "question approve",
    "result fetchPage",
    "result shout",
  ]);
});

test("it is bounded by what is asked for, a node or a block, and so are the differences", async () => {
  await run("one", ["a", "b"]);
  await run("two", ["x", "y"]);
  const { differences, different } = await compareRuns(store, "one", "two", { limit: 2 });
  expect(different).toBeGreaterThan(5);
  expect((await Array.fromAsync(differences)).map(({ what }) => what)).toEqual(["input", "result"]);
  expect(await compared("one", "two", { node: "fetchPage" })).toMatchObject({ common: 0, different: 2 });
  await run("three", ["a", "b", "c"]);
  const block = await compared("one", "three", { node: "gate" });
  expect(block.all.map(({ node, what }) => [node, what])).toEqual([
    ["gate", "choice"],
    ["gate/then/large", "result"],
  ]);
  expect(await compared("one", "two", { node: "nothing" })).toMatchObject({ common: 0, different: 0 });
});

test("values that are kept apart are not fetched when they are the same, and one by one when they are not", async () => {
  await run("one", ["abcdefgh", "b"]);
  await run("two", ["abcdefgh", "b"]);
  await run("three", ["abcdefgh", "c"]);
  let read = 0;
  const counted = new Proxy(store, {
    get(of, key) {
      const value: unknown = Reflect.get(of, key, of);
      if (key === "getBlob") read++;
      return typeof value === "function" ? (value.bind(of) as unknown) : value;
    },
  });
  expect((await compareRuns(counted, "one", "two")).different).toBe(0);
  expect(read).toBe(0);
  const { differences } = await compareRuns(counted, "one", "three");
  for await (const { node, a, b } of differences) {
    if (node !== "gate/then/large") continue;
    expect([read, (a!.value as { text: string }).text.length]).toEqual([2, 100_000]);
    expect(b?.value).not.toEqual(a?.value);
  }
  expect(read).toBe(2);
});

test("a crash and the resume after it are no difference; a run that has not ended says where it stands", async () => {
  const plain = graph("plain", (input: Ref<{ urls: string[] }>) => ({
    all: collect(fetchPage({ url: each(input.urls) }).html),
  }));
  await (await open({ backend: store.another(), graphs: [plain] })).run(plain, { urls: ["a", "b"] }, { id: "calm" });
  const crashed = await crashedBehind(await recordingOf(store, "calm"), 2);
  await resumedOn(crashed, plain);
  const other = await open({ backend: crashed.another(), graphs: [plain] });
  await other.run(plain, { urls: ["a", "b"] }, { id: "again" });
  const [again, first] = await other.list();
  expect(again?.id).toBe("again");
  const reader = crashed.another();
  await reader.open("the reader");
  expect((await compareRuns(reader, first!.id, "again")).different).toBe(0);
  const waits = await engine.start(survey, { urls: ["a"] }, { id: "waits" });
  await waits.result();
  await run("ended", ["a"]);
  const { all } = await compared("waits", "ended");
  expect(all.map(({ what, a, b }) => [what, a?.status, b?.status])).toContainEqual(["end", "interrupted", "completed"]);
  expect(all.find(({ what }) => what === "answer")).toMatchObject({ node: "approve", b: { value: { ok: true } } });
});

test("runs of other graphs are compared by the names of their nodes; one that is not there is named", async () => {
  const other = graph("other", (input: Ref<{ url: string }>) => ({ html: fetchPage({ url: input.url }).html }));
  await engine.run(other, { url: "a" }, { id: "other" });
  await run("one", ["a"]);
  const { all } = await compared("one", "other");
  expect(all[0]).toMatchObject({ what: "graph", a: { graph: "survey" }, b: { graph: "other" } });
  expect(all.filter(({ node }) => node === "fetchPage").map(({ items }) => items)).toEqual([[0], []]);
  await expect(compareRuns(store, "one", "nobody")).rejects.toThrow(expect.objectContaining({ code: "RunNotFound" }));
});
