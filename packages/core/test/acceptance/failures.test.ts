import { expect, test } from "vitest";
import { z } from "zod";
import { collect, each, given, graph, memory, MillraceError, op, orElse, present, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { effects } from "./support/files.ts";
import { forever, gate } from "./support/gate.ts";

test("F02 what depends on a subgraph whose op failed does not run, and both the op and the subgraph are in errors", async () => {
  const ran = effects();
  const load = op("load", async (_input: { url: string }): Promise<{ text: string; size: number }> => {
    throw new Error("no such page");
  });
  const fetching = graph("fetching", (input: Ref<{ url: string }>) => {
    const page = load({ url: input.url });
    return { text: page.text, size: page.size };
  });
  const save = op("save", async ({ text }: { text: string }) => {
    ran.add("save");
    return { saved: text };
  });
  const site = graph("site", (input: Ref<{ url: string }>) => {
    const page = fetching({ url: input.url });
    return { saved: save({ text: page.text }).saved, size: page.size };
  });
  await crashEverywhere(site, { url: "http://x" }, ({ result }, { result: whole }) => expect(result).toEqual(whole));
  const engine = await open({ backend: memory() });
  const handle = await engine.start(site, { url: "http://x" }, { id: "one" });
  const result = await handle.result();
  expect(result.status).toBe("failed");
  expect(result).not.toHaveProperty("output");
  expect(result.errors.map(({ node, path, cause, count }) => ({ node, path, cause, count }))).toEqual([
    { node: "fetching/load", path: "site/fetching/load", cause: undefined, count: 1 },
    { node: "fetching", path: "site/fetching", cause: "fetching/load", count: 1 },
  ]);
  expect(ran.lines()).toEqual([]);
  await expect(handle.output()).rejects.toMatchObject({ code: "OpFailed", cause: { node: "fetching/load" } });
  expect(await engine.get("one")).toMatchObject({ status: "failed", errors: result.errors });
});

test("F06 reading an output key that the schema of an op does not have is refused when the graph is built, naming op, key and nearest key", () => {
  const parse = op(
    "parse",
    { output: z.object({ title: z.string(), words: z.number() }) },
    async (_input: { text: string }) => ({ title: "t", words: 1 }),
  );
  const build = (): unknown =>
    graph("typo", (input: Ref<{ text: string }>) => ({
      title: (parse({ text: input.text }) as unknown as Record<string, Ref<string>>)["titel"],
    }));
  expect(build).toThrow(MillraceError);
  expect(build).toThrow(/op parse.*"?titel"?[\s\S]*title/);
  expect(build).toThrow(expect.objectContaining({ code: "BuildError" }));
});

test("F06 an absent key is undefined where the graph says what happens then: in orElse, present and given", async () => {
  const find = op("find", async ({ name }: { name: string }): Promise<{ mail?: string }> =>
    name === "" ? {} : { mail: `${name}@x` },
  );
  const g = graph("g", (input: Ref<{ names: string[] }>) => {
    const { mail } = find({ name: each(input.names) });
    const nobody = find({ name: "" }, { name: "nobody" }).mail;
    return {
      some: collect(present(mail)),
      all: collect(orElse(mail, "none")),
      mark: given(
        "mark",
        nobody,
        (there) => ({ there }),
        () => ({ there: "nowhere" }),
      ).there,
      ends: given("ends", find({ name: "z" }, { name: "z" }).mail, (there) => ({ there })),
    };
  });
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(g, { names: ["a", "", "b"] })).toEqual({
    some: ["a@x", "b@x"],
    all: ["a@x", "none", "b@x"],
    mark: "nowhere",
    ends: { there: "z@x" },
  });
});

test("F06 without a schema, reading an absent key fails at run time naming it, and its consumer does not run", async () => {
  const parse = op("parse", async (_input: { text: string }) => ({ title: "t", words: 1 }));
  const seen: unknown[] = [];
  const show = op("show", async (input: { title: unknown }) => {
    seen.push(input);
    return { shown: true };
  });
  const typo = graph("typo", (input: Ref<{ text: string }>) => {
    const parsed = parse({ text: input.text }) as unknown as Record<string, Ref<string>>;
    return { shown: show({ title: parsed["titel"] as Ref<string> }).shown };
  });
  const engine = await open();
  const result = await (await engine.start(typo, { text: "x" })).result();
  expect(result).toMatchObject({ status: "failed", errors: [{ node: "parse", code: "EdgeFailed" }] });
  expect(result.errors[0]?.message).toContain('has no key "titel"');
  expect(result.errors[0]?.message).toContain("title, words");
  expect(seen).toEqual([]);
});

const risky = op("risky", async ({ n }: { n: number }) => {
  if (n === 2 || n === 4) throw new Error(`item ${n}`);
  return { n };
});
const fanOut = graph("fanOut", (input: Ref<{ xs: number[] }>) => ({
  kept: collect(risky({ n: each(input.xs) }, { parallel: 8 }).n, { errors: "skip" }),
}));

test("F10 two failing items of one op give one entry with count 2 and the first failing context, also after a crash behind any record", async () => {
  const whole = await crashEverywhere(fanOut, { xs: [1, 2, 3, 4, 5] }, ({ result }, { result: undisturbed }) =>
    expect(result).toEqual(undisturbed),
  );
  expect(whole.result).toMatchObject({ status: "completed", output: { kept: [1, 3, 5] } });
  expect(whole.result.errors).toEqual([
    {
      node: "risky",
      path: "fanOut/input.xs[1]/risky",
      code: "Failed",
      type: "Error",
      message: "item 2",
      attempts: 1,
      count: 2,
      handled: true,
      at: expect.stringMatching(/failures\.test\.ts:\d+:\d+\)?$/),
    },
  ]);
});

test("R07 by default siblings of a failed op go on, and what depends on it is skipped", async () => {
  const ran = effects();
  const bad = op("bad", async (_input: { n: number }): Promise<{ n: number }> => {
    throw new TypeError("broken");
  });
  const good = op("good", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setImmediate(resolve));
    ran.add("good");
    return { n: n + 1 };
  });
  const then = op("then", async ({ n }: { n: number }) => {
    ran.add(`then ${n}`);
    return { n };
  });
  const both = graph("both", (input: Ref<{ n: number }>) => {
    then({ n: bad({ n: input.n }).n }, { name: "afterBad" });
    return { n: then({ n: good({ n: input.n }).n }, { name: "afterGood" }).n };
  });
  const warnings: string[] = [];
  const engine = await open({ warn: (text) => warnings.push(text) });
  const result = await (await engine.start(both, { n: 1 })).result();
  expect(result).toMatchObject({
    status: "completed",
    output: { n: 2 },
    errors: [{ node: "bad", type: "TypeError", message: "broken", handled: false }],
  });
  expect(ran.lines()).toEqual(["good", "then 2"]);
  expect(warnings.join("\n")).toMatch(/bad failed once.*TypeError: broken/);
});

test("P1.7 R07 under errors: raise slow siblings are aborted, nothing new starts, and every consumer gets the same OpFailed", async () => {
  const ran = effects();
  const failNow = gate();
  const bad = op("bad", async (_input: { n: number }): Promise<{ n: number }> => {
    await failNow.opened;
    throw new TypeError("broken");
  });
  const slow = op("slow", async (_input: { n: number }, ctx): Promise<{ n: number }> => {
    ran.add("slow started");
    ctx.signal.addEventListener("abort", () => ran.add("slow aborted"));
    return forever();
  });
  const queued = op("queued", async ({ n }: { n: number }) => {
    ran.add(`queued ${n}`);
    if (n > 1) await forever();
    return { n };
  });
  const raising = graph("raising", (input: Ref<{ n: number; xs: number[] }>) => {
    const q = collect(queued({ n: each(input.xs) }).n);
    return { a: bad({ n: input.n }).n, b: slow({ n: input.n }).n, q };
  });
  const engine = await open({ errors: "raise", backend: memory() });
  const handle = await engine.start(raising, { n: 1, xs: [1, 2, 3] }, { id: "raised" });
  const waiting = Promise.allSettled([handle.output(), handle.output(), handle.result()]);
  const running = engine.run(raising, { n: 1, xs: [1] });
  running.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  failNow.open();
  const [first, second, result] = await waiting;
  const late = await handle.output().catch((error: unknown) => error);
  expect(first).toMatchObject({ status: "rejected", reason: { code: "OpFailed" } });
  const { reason } = first as PromiseRejectedResult;
  expect((second as PromiseRejectedResult).reason).toBe(reason);
  expect(late).toBe(reason);
  expect((reason as Error).message).toMatch(/"bad".*TypeError: broken/);
  expect(result).toMatchObject({ status: "fulfilled", value: { status: "failed", errors: [{ node: "bad" }] } });
  await expect(running).rejects.toMatchObject({ code: "OpFailed", cause: { node: "bad" } });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ran.counts()).toEqual({ "slow started": 2, "slow aborted": 2, "queued 1": 2, "queued 2": 1 });
  expect(await engine.get("raised")).toMatchObject({ status: "failed" });
});

test("R07 under errors: raise a handled failure raises nothing", async () => {
  const engine = await open({ errors: "raise" });
  expect(await engine.run(fanOut, { xs: [1, 2, 3] })).toEqual({ kept: [1, 3] });
});

test("R07 H61 results of siblings that come after the run was raised are dropped: one terminal record, nothing behind it", async () => {
  const open2 = gate();
  const bad = op("bad", async (_input: { n: number }): Promise<{ n: number }> => {
    throw new Error("now");
  });
  const late = op("late", async ({ n }: { n: number }) => {
    await open2.opened;
    return { n };
  });
  const raced = graph("raced", (input: Ref<{ n: number }>) => ({
    a: bad({ n: input.n }).n,
    b: late({ n: input.n }).n,
  }));
  const backend = memory();
  const engine = await open({ errors: "raise", backend });
  const handle = await engine.start(raced, { n: 1 }, { id: "r" });
  expect((await handle.result()).status).toBe("failed");
  const before = await engine.get("r");
  open2.open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await engine.get("r")).toEqual(before);
  expect(before?.finished).toEqual({});
});
