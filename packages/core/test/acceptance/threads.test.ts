/** Runs of a thread: what one leaves the next one begins with. */
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import {
  append,
  cell,
  graph,
  interrupt,
  memory,
  merge,
  messagesById,
  op,
  orderedBy,
  push,
  read,
  add,
  type Ref,
} from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { WrappedBackend } from "../../src/backends/wrapped.ts";
import { grown, patchText, type Patch } from "../../src/journal/carry/patch.ts";
import { decode, encode } from "../../src/journal/codec/codec.ts";
import { z } from "zod";
import { temporaryFolder } from "../node/temporary-folder.ts";
import { open } from "./support/engines.ts";

const said = cell("said", append<string>(), { carry: true });
const turns = cell("turns", add(), { carry: true });
const facts = cell("facts", merge<Record<string, unknown>>(), { carry: true });
const scratch = cell("scratch", append<string>());

const reply = op("reply", ({ said: all }: { said: readonly string[] }, ctx) => ({
  text: `${all.length}: ${all.join(" ")}`,
  thread: ctx.thread,
}));

const check = op("check", ({ fails }: { fails: boolean }) => {
  if (fails) throw new Error("no luck");
  return { broken: "no" };
});

const chat = graph("chat", (input: Ref<{ text: string; fails: boolean }>) => {
  const heard = push(said, input.text);
  const counted = push(turns, 1);
  const learnt = push(facts, { last: input.text });
  const noted = push(scratch, input.text);
  const { broken } = check({ fails: input.fails });
  const all = read(said, { after: [heard] });
  return {
    reply: reply({ said: all }).text,
    thread: reply({ said: all }, { name: "again" }).thread,
    turns: read(turns, { after: [counted] }),
    facts: read(facts, { after: [learnt] }),
    scratch: read(scratch, { after: [noted] }),
    broken,
  };
});

test("R25 P4.3 a run of a thread begins with what the last one left, in another engine too; other cells begin anew", async () => {
  const store = memory();
  const first = await open({ backend: store });
  expect(await first.run(chat, { text: "hello", fails: false }, { thread: "t" })).toMatchObject({
    reply: "1: hello",
    thread: "t",
    turns: 1,
  });
  await first.close();
  const second = await open({ backend: store.another() });
  expect(await second.run(chat, { text: "again", fails: false }, { thread: "t" })).toMatchObject({
    reply: "2: hello again",
    turns: 2,
    facts: { last: "again" },
    scratch: ["again"],
  });
  expect(await second.run(chat, { text: "other", fails: false }, { thread: "u" })).toMatchObject({ reply: "1: other" });
  expect(await second.run(chat, { text: "none", fails: false })).toMatchObject({ reply: "1: none", thread: undefined });
  expect(await second.carried("t")).toEqual({ said: ["hello", "again"], turns: 2, facts: { last: "again" } });
  expect(await second.carried("nobody's")).toEqual({});
  expect((await second.list({ thread: "t" })).map(({ thread, carriedUpTo }) => [thread, carriedUpTo])).toEqual([
    ["t", 1],
    ["t", 0],
  ]);
});

test("R25 a run that fails or is cancelled leaves what stood before it", async () => {
  const engine = await open({ backend: memory(), graphs: [chat] });
  await engine.run(chat, { text: "one", fails: false }, { thread: "t" });
  await expect(engine.run(chat, { text: "two", fails: true }, { thread: "t" })).rejects.toThrow("no luck");
  expect(await engine.carried("t")).toMatchObject({ said: ["one"], turns: 1 });
  expect(await engine.run(chat, { text: "three", fails: false }, { thread: "t" })).toMatchObject({
    reply: "2: one three",
  });
});

test("B10 while a run of a thread has not ended another one is refused, and it names the first", async () => {
  const ask = graph("ask", () => ({ n: interrupt("wait", {}, { answer: z.number() }) }));
  const engine = await open({ backend: memory(), graphs: [ask, chat] });
  const handle = await engine.start(ask, {}, { thread: "t", id: "first" });
  await handle.result();
  await expect(engine.run(chat, { text: "x", fails: false }, { thread: "t" })).rejects.toMatchObject({
    code: "ThreadBusy",
    message: expect.stringContaining("first is interrupted"),
  });
  await handle.answer("wait", 1);
  await handle.output();
  expect(await engine.run(chat, { text: "x", fails: false }, { thread: "t" })).toMatchObject({ turns: 1 });
});

test("R25 a run that goes on after a crash has what its thread carried when it began", async () => {
  const waiting = graph("chat", () => {
    const heard = push(said, "asked");
    const answer = interrupt("wait", {}, { answer: z.string() });
    const told = push(said, answer);
    return { all: read(said, { after: [heard, told] }) };
  });
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const first = sqlite(`${folder.path}/app.db`);
  const engine = await open({ backend: first });
  await engine.run(chat, { text: "one", fails: false }, { thread: "t" });
  const handle = await engine.start(waiting, {}, { thread: "t", id: "r" });
  await handle.result();
  await first.abandon();
  const second = await open({ backend: sqlite(`${folder.path}/app.db`), graphs: [waiting] });
  await (await second.answer("r", "wait", "answered")).output();
  expect(await second.get("r")).toMatchObject({ output: { all: ["one", "asked", "answered"] } });
  expect(await second.carried("t")).toMatchObject({ said: ["one", "asked", "answered"], turns: 1 });
});

test("a thread that goes on while a run is about to begin is read again", async () => {
  const store = memory();
  const rival = await open({ backend: store.another() });
  let rivals = 3;
  const slow = new (class extends WrappedBackend {
    override async carried(thread: string, upTo?: number): ReturnType<WrappedBackend["carried"]> {
      const rows = await super.carried(thread, upTo);
      if (rivals-- > 0) await rival.run(chat, { text: `rival ${rivals}`, fails: false }, { thread });
      return rows;
    }
  })(store);
  const engine = await open({ backend: slow });
  expect(await engine.run(chat, { text: "mine", fails: false }, { thread: "t" })).toMatchObject({
    reply: "4: rival 2 rival 1 rival 0 mine",
  });
});

test("S15 a run that names the one it follows is refused when another one came between, also when that failed", async () => {
  const engine = await open({ backend: memory() });
  const start = (id: string, follows: string | null, fails = false): Promise<unknown> =>
    engine.run(chat, { text: id, fails }, { thread: "t", id, follows });
  await start("one", null);
  await expect(start("two", "one", true)).rejects.toThrow("no luck");
  await expect(start("three", "one")).rejects.toMatchObject({
    code: "ThreadMoved",
    message: expect.stringMatching(/is two, and not one/),
  });
  await expect(start("three", null)).rejects.toMatchObject({
    code: "ThreadMoved",
    message: expect.stringMatching(/is two, and not none/),
  });
  expect(await start("three", "two")).toMatchObject({ reply: "2: one three" });
  expect((await engine.list()).map(({ id }) => id)).toEqual(["three", "two", "one"]);
  await expect(engine.run(chat, { text: "x", fails: false }, { follows: "one" })).rejects.toMatchObject({
    code: "InvalidOption",
  });
});

test("S10 a deleted thread has never been; one with a run that has not ended is refused, or that is cancelled", async () => {
  const ask = graph("ask", () => ({ n: interrupt("wait", {}, { answer: z.number() }) }));
  const backend = memory();
  const engine = await open({ backend, graphs: [ask, chat] });
  for (const text of ["one", "two"]) await engine.run(chat, { text, fails: false }, { thread: "t" });
  await engine.run(chat, { text: "other", fails: false }, { thread: "u", id: "u1" });
  await (await engine.start(ask, {}, { thread: "t", id: "asks" })).result();
  await expect(engine.deleteThread("t")).rejects.toMatchObject({
    code: "ThreadBusy",
    message: expect.stringMatching(/asks is interrupted/),
  });
  expect((await engine.list({ thread: "t" })).length).toBe(3);
  expect(await engine.deleteThread("t", { cancel: true })).toBe(3);
  expect([await engine.list({ thread: "t" }), await engine.carried("t")]).toEqual([[], {}]);
  expect(await engine.run(chat, { text: "new", fails: false }, { thread: "t" })).toMatchObject({ reply: "1: new" });
  expect((await engine.get("u1"))?.output).toMatchObject({ reply: "1: other" });
  expect(await engine.deleteThread("nobody's")).toBe(0);
});

test("a thread needs a backend and a name that can be kept", async () => {
  const without = await open();
  await expect(without.run(chat, { text: "x", fails: false }, { thread: "t" })).rejects.toMatchObject({
    code: "NoBackend",
  });
  const engine = await open({ backend: memory() });
  for (const thread of ["", "x".repeat(257), "a\0b", "\ud800", 7 as unknown as string])
    await expect(engine.run(chat, { text: "x", fails: false }, { thread })).rejects.toMatchObject({
      code: "InvalidOption",
    });
});

test("what a cell of a thread holds must be encodable: else the run fails, naming the cell, and the thread stands", async () => {
  const odd = cell("odd", { init: null, reduce: (_: unknown, n: unknown) => ({ n, run: () => n }) }, { carry: true });
  const flow = graph("flow", () => ({ done: read(odd, { after: [push(odd, 1)] }) }));
  const asked = graph("asked", () => {
    push(odd, 1);
    return { ok: true };
  });
  const engine = await open({ backend: memory() });
  await expect(engine.run(asked, {}, { thread: "t" })).rejects.toThrow(/cells\.odd.*function/);
  await expect(engine.run(flow, {}, { thread: "t" })).rejects.toThrow(/function/);
  expect(await engine.carried("t")).toEqual({});
});

test("two hundred turns of 1 kB cost what was said and not much more, and messages keep their order", async () => {
  const history = cell("history", messagesById<{ id: string; text: string }>(), { carry: true });
  const ranked = cell(
    "ranked",
    orderedBy((item: { n: number }) => item.n),
    { carry: true },
  );
  const talk = graph("talk", (input: Ref<{ message: { id: string; text: string }; rank: { n: number } }>) => {
    const heard = push(history, input.message);
    push(ranked, input.rank);
    return { n: count({ all: read(history, { after: [heard] }) }).n };
  });
  const store = memory();
  const engine = await open({ backend: store });
  const text = "x".repeat(1_000);
  let journal = 0;
  for (let i = 0; i < 200; i++) {
    const input = { message: { id: `m${i}`, text }, rank: { n: -i } };
    expect(await engine.run(talk, input, { thread: "t" })).toEqual({ n: i + 1 });
  }
  const reader = store.another();
  await reader.open("reader");
  journal = (await reader.stats()).journalBytes;
  let carried = 0;
  for (let n = 1; n <= 200; n++) carried += (await reader.carried("t", n)).at(-1)?.bytes.byteLength ?? 0;
  expect((journal + carried) / 200_000).toBeLessThan(3);
  expect(((await engine.carried("t"))["history"] as unknown[]).length).toBe(200);
});

const count = op("count", ({ all }: { all: readonly unknown[] }) => ({ n: all.length }));

test("a change applied to what stood before it gives what came after it, whatever the values are", () => {
  const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, maxDepth: 3 });
  const longer = fc
    .tuple(fc.array(value, { maxLength: 5 }), fc.array(value, { maxLength: 3 }))
    .map(([before, more]) => [before, [...before, ...more]] as const);
  const changed = fc
    .tuple(fc.dictionary(fc.string(), value), fc.dictionary(fc.string(), value))
    .map(([before, more]) => [before, { ...before, ...more }] as const);
  fc.assert(
    fc.property(fc.oneof(longer, changed, fc.tuple(value, value)), ([before, after]) => {
      fc.pre(isEncodable(before) && isEncodable(after));
      const [b, a] = [decode(encode(before)), decode(encode(after))];
      const text = patchText(b, a);
      const got = text === null ? b : grown(b, JSON.parse(text) as Patch);
      expect(encode(got)).toBe(encode(a));
    }),
    { numRuns: 2_000 },
  );
});

function isEncodable(value: unknown): boolean {
  try {
    encode(value);
    return true;
  } catch {
    return false;
  }
}
