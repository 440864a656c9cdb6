/** What people ran into when they built small products: one test per statement. */
import { expect, test } from "vitest";
import * as core from "../../src/index.ts";
import {
  collect,
  derive,
  each,
  fallback,
  final,
  graph,
  op,
  orElse,
  sweep,
  text,
  when,
  type Ref,
  type TaskEvent,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open, undisturbed } from "./support/engines.ts";

const check = { check: checkInvariants };
let ran: string[] = [];
const use = op("use", async ({ x }: { x: unknown }, ctx) => {
  ran.push(ctx.path);
  return { used: x };
});

test("F13 an op with three attempts that fails twice returns its value, with three attempts recorded", async () => {
  let calls = 0;
  const flaky = op("flaky", { retry: { attempts: 3, initial: 1, on: () => true } }, async ({ x }: { x: string }) => {
    if (++calls < 3) throw new Error(`not yet: ${calls}`);
    return { x };
  });
  const g = graph("g", (input: Ref<{ x: string }>) => ({ x: use({ x: flaky({ x: input.x }).x }).used }));
  const engine = await open(check);
  const handle = await engine.start(g, { x: "value" });
  const tasks: TaskEvent[] = [];
  for await (const event of handle.stream("tasks")) if (event.node === "flaky") tasks.push(event);
  expect(await handle.result()).toEqual({
    status: "completed",
    output: { x: "value" },
    errors: [],
    cells: expect.any(Object),
  });
  expect(tasks.filter(({ task }) => task === "started").map((event) => "attempt" in event && event.attempt)).toEqual([
    1, 2, 3,
  ]);
  expect(calls).toBe(3);
});

test("F13 a time limit of 0.2 s on an op of 5 s is a TimeoutError within 0.4 s, and its successors do not run", async () => {
  const slow = op("slow", { timeout: { run: 200 } }, async ({ x }: { x: string }, ctx) => {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 5_000);
      ctx.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return { x };
  });
  const g = graph("g", (input: Ref<{ x: string }>) => ({ x: use({ x: slow({ x: input.x }).x }).used }));
  const engine = await open(check);
  ran = [];
  const since = performance.now();
  const result = await (await engine.start(g, { x: "value" })).result();
  const took = performance.now() - since;
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([{ node: "slow", type: "TimeoutError", count: 1 }]);
  expect(took).toBeGreaterThanOrEqual(195);
  expect(took).toBeLessThan(400);
  expect(ran).toEqual([]);
});

test("F19 a structured step that fails after its retries is the root cause, and the templated step that needs it is skipped because of it", async () => {
  let calls = 0;
  const structured = op(
    "structured",
    { retry: { attempts: 2, initial: 1, on: () => true } },
    async ({ topic }: { topic: string }): Promise<{ title: string }> => {
      calls++;
      throw new Error(`no JSON about ${topic}`);
    },
  );
  const prompt = op("prompt", async ({ prompt }: { prompt: string }, ctx) => {
    ran.push(ctx.path);
    return { text: prompt };
  });
  const g = graph("chain", (input: Ref<{ topic: string }>) => {
    const s = structured({ topic: input.topic });
    return { text: prompt({ prompt: text`Write about ${s.title}` }).text };
  });
  ran = [];
  const skipped: unknown[] = [];
  const engine = await open({
    ...check,
    observer: { settled: ({ node, as, because }) => void skipped.push({ node, as, because }) },
  });
  const result = await (await engine.start(g, { topic: "mills" })).result();
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([{ node: "structured", message: "no JSON about mills", attempts: 2, count: 1 }]);
  expect(skipped).toContainEqual({ node: "prompt", as: "skipped", because: "structured" });
  expect([calls, ran]).toEqual([2, []]);
});

test("F19 a template variable that is null is said to be null, not missing, and orElse fills it in", async () => {
  const look = op("look", async (): Promise<{ title: string | null }> => ({ title: null }));
  const g = graph("nulls", () => {
    const { title } = look();
    return {
      filled: text`Write about ${orElse(title, "nothing")}`,
      raw: use({ x: text`Write about ${title as Ref<string>}` }).used,
    };
  });
  const engine = await open(check);
  const result = await (await engine.start(g, undefined)).result();
  expect(result.errors).toMatchObject([{ node: "look", code: "EdgeFailed" }]);
  expect(result.errors[0]!.message).toMatch(/value 1 of a text is null/);
  expect(result.errors[0]!.message).not.toMatch(/missing/);
  const filled = graph("filled", () => ({ text: text`Write about ${orElse(look().title, "nothing")}` }));
  expect(await engine.run(filled, undefined)).toEqual({ text: "Write about nothing" });
});

test("P0.5 items go through an op one at a time and in order unless it says parallel", async () => {
  const events: string[] = [];
  const work = op("work", async ({ n }: { n: number }) => {
    events.push(`begin ${n}`);
    await new Promise((resolve) => setTimeout(resolve, 4 - n));
    events.push(`end ${n}`);
    return { n };
  });
  const g = graph("items", (input: Ref<{ ns: number[] }>) => ({ all: collect(work({ n: each(input.ns) }).n) }));
  const engine = await open(check);
  expect(await engine.run(g, { ns: [1, 2, 3] })).toEqual({ all: [1, 2, 3] });
  expect(events).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"]);
});

test("P1.6 after the last attempt the handler runs once, with error text, node and inputs, per failed item", async () => {
  const handled: unknown[] = [];
  let attempts = 0;
  const risky = op("risky", { retry: { attempts: 2, initial: 1, on: () => true } }, async ({ n }: { n: number }) => {
    attempts++;
    if (n % 2 === 0) throw new TypeError(`even: ${n}`);
    return { n };
  });
  const mend = op("mend", async (error: { message: string; node: string; path: string; input: unknown }) => {
    handled.push(error);
    return { n: -1 };
  });
  const g = graph("g", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    const safe = fallback(
      "safe",
      () => risky({ n }),
      (e) => mend({ message: e.message, node: e.node, path: e.path, input: e.input }),
    );
    return { all: collect(safe.n) };
  });
  const { result } = await undisturbed(g, { ns: [1, 2, 3, 4] }, check);
  expect(result).toMatchObject({
    status: "completed",
    output: { all: [1, -1, 3, -1] },
    errors: [{ node: "safe/body/risky", count: 2, handled: true }],
  });
  expect(handled).toEqual([
    { message: "even: 2", node: "safe/body/risky", path: "g/input.ns[1]/safe/body/risky", input: { n: 2 } },
    { message: "even: 4", node: "safe/body/risky", path: "g/input.ns[3]/safe/body/risky", input: { n: 4 } },
  ]);
  expect(attempts).toBe(6);
});

test.each([2, 1])(
  "P1.9 R19 three levels of fan-outs under a run cap of %i: never more bodies at once, and no deadlock",
  async (cap) => {
    let active = 0;
    let most = 0;
    let bodies = 0;
    const busy = async (): Promise<void> => {
      bodies++;
      most = Math.max(most, ++active);
      await new Promise((resolve) => setImmediate(resolve));
      active--;
    };
    const list = op("list", async function* ({ of }: { of: string }) {
      for (const i of [1, 2, 3]) yield { item: `${of}${i}` };
    });
    const work = op("work", async ({ item }: { item: string }) => {
      await busy();
      return { item };
    });
    const inner = graph("inner", (input: Ref<{ of: string }>) => {
      const l = list({ of: input.of });
      return { all: collect(work({ item: l.item }, { parallel: 2 }).item) };
    });
    const middle = graph("middle", (input: Ref<{ of: string }>) => {
      const l = list({ of: work({ item: input.of }).item });
      return { all: collect(inner({ of: l.item }, { parallel: 2 }).all) };
    });
    const outer = graph("outer", (input: Ref<{ of: string }>) => {
      const l = list({ of: input.of });
      const all = collect(middle({ of: l.item }, { parallel: 2 }).all);
      return { n: derive(all, (lists) => lists.flat(2).length) };
    });
    const engine = await open({ ...check, runConcurrency: cap });
    expect(await engine.run(outer, { of: "x" })).toEqual({ n: 27 });
    expect(most).toBe(cap);
    expect(bodies).toBe(30);
  },
);

test("R18 there is no goto in graphs", () => {
  expect(Object.keys(core).filter((name) => /goto|jump|command/i.test(name))).toEqual([]);
});

test("K1 what reads an arm that was not taken gets undefined, live and after a crash at every record", async () => {
  const g = graph("untaken", (input: Ref<{ items: { name: string; go: boolean }[] }>) => {
    const x = each(input.items);
    const w = when("w", x.go, () => ({ name: use({ x: x.name }, { name: "taken" }).used }));
    return {
      whole: collect(w.name),
      derived: collect(derive(w.name, (name) => name ?? "none")),
      elsed: collect(orElse(w.name, "else")),
      data: collect(use({ x: w.name }, { name: "data" }).used),
      after: collect(use({ x: x.name }, { name: "after", after: [w] }).used),
    };
  });
  const output = {
    whole: ["a", undefined],
    derived: ["a", "none"],
    elsed: ["a", "else"],
    data: ["a", undefined],
    after: ["a", "b"],
  };
  const items = [
    { name: "a", go: true },
    { name: "b", go: false },
  ];
  const survey = await crashEverywhere(
    g,
    { items },
    ({ cut, result }) =>
      expect([cut, result]).toEqual([cut, { status: "completed", output, errors: [], cells: expect.any(Object) }]),
    check,
  );
  expect(survey.result).toMatchObject({ output });
});

test("K1 a swept input sweeps what reads it and satisfies after, live and after a crash at every record", async () => {
  const hang = op("hang", async function* ({ stop }: { stop: boolean }, ctx) {
    if (!stop) await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    yield { tok: "t" };
    return { last: "t" };
  });
  const g = graph("swept", (input: Ref<{ stops: boolean[] }>) => {
    const stop = each(input.stops);
    const h = hang({ stop });
    const { last } = final(h);
    const swept = sweep("sweep", { on: stop, cancel: [h] });
    return {
      lists: collect(collect(h.tok)), // what is swept is a stream that ends, here before its first item
      lasts: collect(last),
      data: collect(use({ x: last }, { name: "data" }).used, { errors: "settle" }),
      after: collect(use({ x: stop }, { name: "after", after: [last] }).used),
      swept: collect(swept),
    };
  });
  const output = {
    lists: [[], ["t"]],
    lasts: ["t"],
    data: [{ ok: true, value: "t" }],
    after: [false, true],
    swept: [0, 1],
  };
  const survey = await crashEverywhere(
    g,
    { stops: [false, true] },
    ({ cut, result }) =>
      expect([cut, result]).toEqual([cut, { status: "completed", output, errors: [], cells: expect.any(Object) }]),
    check,
  );
  expect(survey.result).toMatchObject({ output });
});

test("R07 an edge that throws in the body of a fallback reaches its handler", async () => {
  const gone = graph("gone", (input: Ref<{ x: string }>) => {
    const f = fallback(
      "f",
      () => ({
        x: derive(input.x, (): string => {
          throw new RangeError("edge");
        }),
      }),
      (e) => ({ x: text`${e.code} at ${e.node}` }),
    );
    return { x: f.x };
  });
  const { result } = await undisturbed(gone, { x: "x" }, check);
  expect(result).toMatchObject({
    status: "completed",
    output: { x: "EdgeFailed at f" },
    errors: [{ handled: true }],
  });
});
