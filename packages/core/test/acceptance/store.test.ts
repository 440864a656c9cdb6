import { z } from "zod";
import { expect, test } from "vitest";
import {
  collect,
  each,
  graph,
  memory,
  memoryStore,
  op,
  storeDelete,
  storeGet,
  storeOps,
  storePut,
  storeSearch,
  WrappedBackend,
  type Backend,
  type Ref,
} from "../../src/index.ts";
import { workerPool } from "../../src/node/index.ts";
import { afterCrash, open, undisturbed } from "./support/engines.ts";
import { recordingOf } from "./support/journal.ts";

const remember = graph("remember", (input: Ref<{ user: string; fact: string }>) => ({
  put: storePut({ namespace: ["users", input.user], key: "fact", value: { text: input.fact } }).key,
}));
const recall = graph("recall", (input: Ref<{ user: string }>) => {
  const one = storeGet({ namespace: ["users", input.user], key: "fact" });
  const many = storeSearch({ prefix: ["users"], query: "TEA", limit: 5 });
  return { value: one.value, found: one.found, items: many.items };
});

test("R21 what a run put is found by a later run, of another engine, by get and by search", async () => {
  const store = memory();
  const first = await open({ backend: store, graphs: [remember] });
  await first.run(remember, { user: "ann", fact: "likes tea" });
  await first.run(remember, { user: "bob", fact: "likes coffee" });
  await first.close();
  const second = await open({ backend: store.another(), graphs: [recall] });
  expect(await second.run(recall, { user: "ann" })).toMatchObject({
    value: { text: "likes tea" },
    found: true,
    items: [{ namespace: ["users", "ann"], key: "fact", value: { text: "likes tea" } }],
  });
  expect(await second.run(recall, { user: "nobody" })).toMatchObject({ value: undefined, found: false });
});

test("R21 bodies have the store as ctx.store; engines without a backend have one of their own", async () => {
  const count = op("count", async ({ by }: { by: number }, ctx) => {
    const before = await ctx.store.get<number>(["counts"], "n");
    await ctx.store.put(["counts"], "n", (before?.value ?? 0) + by);
    return { n: (before?.value ?? 0) + by };
  });
  for (const options of [{}, { backend: memory() }]) {
    const engine = await open(options);
    expect(await engine.run(count, { by: 2 })).toEqual({ n: 2 });
    expect(await engine.run(count, { by: 3 })).toEqual({ n: 5 });
    await engine.close();
  }
  const engine = await open();
  expect(await engine.run(count, { by: 1 })).toEqual({ n: 1 });
});

test("an engine may be given another store, which outlives it", async () => {
  const store = memoryStore();
  for (const fact of ["one", "two"]) {
    const engine = await open({ backend: memory(), store });
    await engine.run(remember, { user: "ann", fact });
    await engine.close();
  }
  expect((await store.get(["users", "ann"], "fact"))?.value).toEqual({ text: "two" });
  await expect(open({ store: {} as never })).rejects.toMatchObject({ code: "InvalidOption" });
});

test("StoreMissing: a backend without a store says so where it is used, and runs all else", async () => {
  const bare = new (class extends WrappedBackend {
    override get store(): Backend["store"] {
      return undefined;
    }
  })(memory());
  const engine = await open({ backend: bare });
  const result = await (await engine.start(remember, { user: "ann", fact: "x" })).result();
  expect(result.errors).toMatchObject([
    { node: "storePut", code: "StoreMissing", message: expect.stringContaining("memory has no store") },
  ]);
  const other = op("other", ({ n }: { n: number }) => ({ n }));
  expect(await engine.run(other, { n: 1 })).toEqual({ n: 1 });
});

test("StoreMissing: a body by itself, and one bound to the cpu, are told what to do instead", async () => {
  await expect(storeGet.fn({ namespace: ["a"], key: "k" })).rejects.toMatchObject({
    code: "StoreMissing",
    hint: expect.stringContaining("memoryStore()"),
  });
  const store = memoryStore();
  await storePut.fn({ namespace: ["a"], key: "k", value: 1 }, { store });
  expect(await storeGet.fn({ namespace: ["a"], key: "k" }, { store })).toEqual({ value: 1, found: true });
  await storeDelete.fn({ namespace: ["a"], key: "k" }, { store });
  expect(await storeGet.fn({ namespace: ["a"], key: "k" }, { store })).toEqual({ value: undefined, found: false });
  const { usesStore } = await import("../node/programs/cpu-store.ts");
  const cpu = workerPool({ module: new URL("../node/programs/cpu-store.ts", import.meta.url), threads: 1 });
  const engine = await open({ cpu });
  const result = await (await engine.start(usesStore, { n: 1 })).result();
  expect(result.errors).toMatchObject([{ node: "usesStore", code: "StoreMissing" }]);
});

test("what is put and read through a schema is what it says, or fails as InvalidValue", async () => {
  const profiles = storeOps(z.object({ language: z.string(), seen: z.number().default(0) }));
  const flow = graph("flow", (input: Ref<{ user: string }>) => {
    const place = profiles.storePut({ namespace: ["users", input.user], key: "p", value: { language: "de", seen: 1 } });
    const { value } = profiles.storeGet({ namespace: place.namespace, key: place.key });
    return { language: value.language, all: profiles.storeSearch({ prefix: place.namespace }).items };
  });
  const store = memoryStore();
  const engine = await open({ store });
  expect(await engine.run(flow, { user: "ann" })).toMatchObject({ language: "de", all: [{ value: { seen: 1 } }] });
  await store.put(["users", "ann"], "q", { language: 7 });
  const result = await (await engine.start(flow, { user: "ann" })).result();
  expect(result.errors).toMatchObject([
    {
      node: "storeSearch",
      code: "InvalidValue",
      message: expect.stringMatching(/the value of \["users","ann"\] "q" .*language/),
    },
  ]);
});

test("H87 a body that runs again after a crash puts again; one that finished does not, and what was read is not read again", async () => {
  let puts = 0;
  const bump = op("bump", async ({ user }: { user: string }, ctx) => {
    puts += 1;
    await ctx.store.put(["users", user], "n", { attempt: ctx.idempotencyKey });
    return { user };
  });
  const flow = graph("flow", (input: Ref<{ user: string }>) => {
    const { user } = bump({ user: input.user });
    const read = storeGet({ namespace: ["users", user], key: "n" });
    return { read: read.value, again: bump({ user: "other" }, { name: "again", after: [read.value] }).user };
  });
  const { recording, result } = await undisturbed(flow, { user: "ann" });
  expect(puts).toBe(2);
  const { output } = result as { output: { read: unknown } };
  const texts = recording.records.map((record) => JSON.stringify(record));
  const bumpedAt = texts.findIndex((text, i) => i > 0 && text.includes('"user":"ann"'));
  const readAt = texts.findIndex((text) => text.includes('"found":true'));
  expect([bumpedAt > 0, readAt > bumpedAt]).toEqual([true, true]);
  for (let cut = 1; cut < texts.length; cut++) {
    puts = 0;
    const store = memoryStore();
    await store.put(["users", "ann"], "n", "changed meanwhile");
    const resumed = await afterCrash(recording, cut, flow, { store });
    // What was not recorded is put, or read, again.
    const read = cut > bumpedAt && cut <= readAt ? "changed meanwhile" : output.read;
    expect(resumed, `crashed behind ${cut}`).toMatchObject({ status: "completed", output: { again: "other", read } });
    expect(puts).toBe(cut <= bumpedAt ? 2 : texts.slice(0, cut).some(isAgain) ? 0 : 1);
  }
});

/** The second body's output. */
function isAgain(text: string): boolean {
  return text.includes('"user":"other"');
}

test("the ops of the store take items of a stream, and their inputs may be made of refs", async () => {
  const flow = graph("flow", (input: Ref<{ users: string[] }>) => {
    const user = each(input.users);
    const put = storePut({ namespace: ["users", user], key: "seen", value: { user }, ttl: "1d", refresh: true });
    return { seen: collect(storeGet({ namespace: put.namespace, key: put.key }).value) };
  });
  const engine = await open({ backend: memory() });
  expect(await engine.run(flow, { users: ["a", "b"] })).toEqual({ seen: [{ user: "a" }, { user: "b" }] });
});

test("nothing of the store is in the journal but what bodies were given and returned", async () => {
  const backend = memory();
  const silent = op("silent", async ({ n }: { n: number }, ctx) => {
    await ctx.store.put(["quiet"], "k", "canary-in-the-store");
    return { n };
  });
  const engine = await open({ backend });
  await engine.run(silent, { n: 1 }, { id: "run" });
  const { records } = await recordingOf(backend, "run");
  expect(JSON.stringify(records)).not.toContain("canary");
});
