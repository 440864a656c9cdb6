import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  loop,
  op,
  race,
  reduce,
  route,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open, undisturbed } from "./support/engines.ts";

const check = { check: checkInvariants };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const gen = op("gen", async function* ({ of, count }: { of: string; count: number }) {
  for (let i = 0; i < count; i++) {
    await turn();
    yield { tok: `${of}${i}` };
  }
});
const breaks = op("breaks", async function* ({ after }: { after: number }) {
  for (let i = 0; i < after; i++) yield { tok: `b${i}` };
  await turn();
  throw new Error("broke");
});
const up = op("up", async ({ x }: { x: string }) => {
  await turn();
  return { y: x.toUpperCase() };
});

const streams = graph("streams", (input: Ref<{ kind: "a" | "b"; many: boolean; n: number }>) => {
  const s = route("kind", input.kind, {
    a: () => gen({ of: "a", count: input.n }),
    b: () => ({ tok: up({ x: gen({ of: "b", count: 2 }).tok }).y }),
  });
  const maybe = when("maybe", input.many, () => ({ tok: gen({ of: "m", count: 2 }).tok, one: 1 }));
  const after = up({ x: s.tok }, { parallel: 2 });
  return {
    toks: collect(s.tok),
    after: collect(after.y),
    maybe: collect(maybe.tok),
    one: maybe.one,
    folded: reduce("folded", after.y, "", (all, y) => all + y),
  };
});

test.each([
  [
    { kind: "a", many: true, n: 3 },
    { toks: ["a0", "a1", "a2"], after: ["A0", "A1", "A2"], maybe: ["m0", "m1"], one: 1, folded: "A0A1A2" },
  ],
  [
    { kind: "b", many: false, n: 3 },
    { toks: ["B0", "B1"], after: ["B0", "B1"], maybe: [], one: undefined, folded: "B0B1" },
  ],
  [
    { kind: "a", many: false, n: 0 },
    { toks: [], after: [], maybe: [], one: undefined, folded: "" },
  ],
] as const)(
  "a stream leaves the arm that is taken, live and after a crash at every record: %j",
  async (input, output) => {
    await crashEverywhere(
      streams,
      input,
      ({ cut, result }) => expect({ cut, result }).toMatchObject({ cut, result: { status: "completed", output } }),
      check,
    );
  },
);

test("items leave an arm while its stream goes on", async () => {
  const seen: string[] = [];
  const say = op("say", async ({ x }: { x: string }) => {
    seen.push(`said ${x}`);
    return { x };
  });
  const slow = op("slow", async function* ({ n: _n }: { n: number }) {
    for (let i = 0; i < 3; i++) {
      await turn();
      await turn();
      seen.push(`made ${i}`);
      yield { tok: `${i}` };
    }
  });
  const g = graph("live", (input: Ref<{ n: number }>) => {
    const s = when(
      "w",
      derive(input.n, (n) => n > 0),
      () => slow({ n: input.n }),
      () => gen({ of: "x", count: 1 }),
    );
    return { all: collect(say({ x: s.tok }).x) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { n: 1 })).toEqual({ all: ["0", "1", "2"] });
  expect(seen).toEqual(["made 0", "said 0", "made 1", "said 1", "made 2", "said 2"]);
});

test("K5 a full stream outside of a block holds back the one inside", async () => {
  let made = 0;
  let taken = 0;
  let ahead = 0;
  const fast = op("fast", function* ({ n: _n }: { n: number }) {
    for (let i = 0; i < 300; i++) {
      made++;
      ahead = Math.max(ahead, made - taken);
      yield { i };
    }
  });
  const take = op("take", async ({ i }: { i: number }) => {
    await Promise.resolve();
    taken++;
    return { i };
  });
  const g = graph("full", (input: Ref<{ n: number; go: boolean }>) => {
    const s = when("w", input.go, () => {
      const f = fast({ n: input.n });
      return { i: up({ x: derive(f.i, String) }, { buffer: 4 }).y };
    });
    return { sum: reduce("sum", take({ i: derive(s.i, Number) }, { buffer: 8 }).i, 0, (a, b) => a + b) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { n: 1, go: true })).toEqual({ sum: (299 * 300) / 2 });
  expect(ahead).toBeLessThanOrEqual(16);
});

test("a stream that a loop returns concatenates in the order of the iterations", async () => {
  const g = graph("turns", (input: Ref<{ n: number }>) => {
    const l = loop("l", {}, { n: input.n }, (s) => {
      const t = gen({ of: "t", count: s.n });
      return {
        next: { n: derive(s.n, (n) => n - 1) },
        until: derive(s.n, (n) => n <= 1),
        result: { tok: t.tok, last: s.n },
      };
    });
    return { toks: collect(l.tok), last: l.last };
  });
  await crashEverywhere(
    g,
    { n: 3 },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({
        cut,
        result: { status: "completed", output: { toks: ["t0", "t1", "t2", "t0", "t1", "t0"], last: 1 } },
      }),
    check,
  );
});

test("a race of streams is decided by the first item, and only the winner's leave", async () => {
  let aborted = false;
  const never = op("never", async function* ({ n: _n }: { n: number }, ctx) {
    await new Promise<void>((resolve) =>
      ctx.signal.addEventListener("abort", () => {
        aborted = true;
        resolve();
      }),
    );
    yield { tok: "never" };
  });
  const g = graph("r", (input: Ref<{ n: number }>) => {
    const won = race("first", {
      slow: () => never({ n: input.n }),
      quick: () => gen({ of: "q", count: 3 }),
    });
    return { toks: collect(won.tok) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { n: 1 })).toEqual({ toks: ["q0", "q1", "q2"] });
  await turn();
  expect(aborted).toBe(true);
});

test("K7 a fallback around a stream takes over before the first item, and not after it", async () => {
  const g = graph("f", (input: Ref<{ after: number }>) => {
    const s = fallback(
      "f",
      () => breaks({ after: input.after }),
      () => gen({ of: "h", count: 2 }),
    );
    return { toks: collect(s.tok) };
  });
  const { result } = await undisturbed(g, { after: 0 }, check);
  expect(result).toMatchObject({ status: "completed", output: { toks: ["h0", "h1"] }, errors: [{ handled: true }] });
  const late = await undisturbed(g, { after: 2 }, check);
  expect(late.result.status).toBe("failed");
  expect(late.result.errors).toMatchObject([{ node: "f/body/breaks" }, { node: "f", cause: "f/body/breaks" }]);
});

test("a failed item fails where it arrives, and others go on", async () => {
  const odd = op("odd", async ({ x }: { x: string }) => {
    if (x === "a1") throw new Error("odd");
    return { y: x };
  });
  const g = graph("items", (input: Ref<{ go: boolean }>) => {
    const s = when("w", input.go, () => ({ y: odd({ x: gen({ of: "a", count: 3 }).tok }).y }));
    return { all: collect(s.y, { errors: "settle" }), ok: collect(s.y, { errors: "skip" }) };
  });
  await crashEverywhere(
    g,
    { go: true },
    ({ result }) =>
      expect(result).toMatchObject({
        status: "completed",
        output: {
          all: [
            { ok: true, value: "a0" },
            { ok: false, error: { node: "w/then/odd" } },
            { ok: true, value: "a2" },
          ],
          ok: ["a0", "a2"],
        },
        errors: [{ handled: true }],
      }),
    check,
  );
});

const pairs = (uneven: "fail" | "stop") =>
  graph("pairs", (input: Ref<{ l: number; r: string[] }>) => {
    const left = gen({ of: "l", count: input.l });
    const r = each(input.r);
    const pair = zip({ l: left.tok, r: up({ x: r }, { parallel: 3 }).y }, { uneven });
    const j = up({ x: derive(pair, ({ l, r: right }) => l + right) }, { name: "join" });
    return { rows: collect(j.y, { errors: "settle" }) };
  });

test("zip pairs two streams item by item, live and after a crash at every record", async () => {
  await crashEverywhere(
    pairs("fail"),
    { l: 3, r: ["a", "b", "c"] },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({
        cut,
        result: { status: "completed", output: { rows: [{ value: "L0A" }, { value: "L1B" }, { value: "L2C" }] } },
      }),
    check,
  );
});

test("a zip of uneven streams fails, or ends with the shorter one", async () => {
  for (const input of [
    { l: 1, r: ["a", "b", "c"] },
    { l: 3, r: ["a"] },
  ]) {
    const stop = await undisturbed(pairs("stop"), input, check);
    expect(stop.result).toMatchObject({ status: "completed", output: { rows: [{ value: "L0A" }] } });
    const fails = await undisturbed(pairs("fail"), input, check);
    expect(fails.result.errors).toMatchObject([{ code: "UnevenZip" }]);
  }
});

test("what cannot leave a block is refused when the graph is built", () => {
  expect(() =>
    graph("mixed", (input: Ref<{ go: boolean }>) => {
      const m = when(
        "w",
        input.go,
        () => gen({ of: "a", count: 1 }),
        () => ({ tok: "one" }),
      );
      return { all: collect(m.tok) };
    }),
  ).toThrow(/is a stream in one body and one value/);
  expect(() =>
    graph("leak", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      const leak = fallback(
        "leak",
        () => {
          up({ x });
          return { ok: true };
        },
        () => ({ ok: false }),
      );
      return { ok: leak.ok };
    }),
  ).toThrow(/runs once per item/);
});
