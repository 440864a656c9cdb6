/** Streams of streams that leave blocks: each item of one has, outside too, a stream of its own. */
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
  sweep,
  when,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open, undisturbed } from "./support/engines.ts";

const check = { check: checkInvariants };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const pages = op("pages", async function* ({ of, count }: { of: string; count: number }) {
  for (let i = 0; i < count; i++) {
    await turn();
    yield { page: `${of}${i}`, lines: i };
  }
});
const lines = op("lines", async function* ({ page, count }: { page: string; count: number }) {
  for (let i = 0; i < count; i++) {
    await turn();
    if (page === "bad0" && i === 1) throw new Error("torn");
    yield { line: `${page}.${i}` };
  }
});
const up = op("up", async ({ x }: { x: string }) => {
  await turn();
  if (x === "fail0.0") throw new Error("no");
  return { y: x.toUpperCase() };
});

/** Some pages and, in each, as many lines as its number says. */
const upper = (of: string | Ref<string>, count: number | Ref<number>) => {
  const p = pages({ of, count });
  return { line: up({ x: lines({ page: p.page, count: p.lines }).line }, { parallel: 2, ordered: true }).y };
};

const chosen = graph("chosen", (input: Ref<{ a: boolean; n: number }>) => {
  const w = when(
    "w",
    input.a,
    () => {
      const p = pages({ of: "a", count: input.n });
      return { line: lines({ page: p.page, count: p.lines }).line };
    },
    () => {
      const p = pages({ of: "b", count: 2 });
      return { line: up({ x: lines({ page: p.page, count: 2 }).line }).y };
    },
  );
  const again = up({ x: w.line }, { name: "again" });
  return {
    all: collect(collect(w.line)),
    each: collect(reduce("folded", again.y, "", (all, y) => all + y)),
  };
});

test.each([
  [
    { a: true, n: 3 },
    { all: [[], ["a1.0"], ["a2.0", "a2.1"]], each: ["", "A1.0", "A2.0A2.1"] },
  ],
  [
    { a: false, n: 0 },
    {
      all: [
        ["B0.0", "B0.1"],
        ["B1.0", "B1.1"],
      ],
      each: ["B0.0B0.1", "B1.0B1.1"],
    },
  ],
  [
    { a: true, n: 0 },
    { all: [], each: [] },
  ],
])(
  "a stream of streams leaves an arm, per outer item, live and after a crash at every record: %j",
  async (input, output) => {
    await crashEverywhere(
      chosen,
      input,
      ({ cut, result }) => expect({ cut, result }).toMatchObject({ cut, result: { status: "completed", output } }),
      check,
    );
  },
);

test("inner items leave while their stream and the one around go on", async () => {
  const seen: string[] = [];
  const say = op("say", async ({ x }: { x: string }) => {
    seen.push(`said ${x}`);
    return { x };
  });
  const slow = op("slow", async function* ({ page }: { page: string }) {
    for (let i = 0; i < 2; i++) {
      await turn();
      await turn();
      seen.push(`made ${page}.${i}`);
      yield { line: `${page}.${i}` };
    }
  });
  const g = graph("live", (input: Ref<{ go: boolean }>) => {
    const w = when("w", input.go, () => ({ line: slow({ page: pages({ of: "p", count: 2 }).page }).line }));
    return { all: collect(collect(say({ x: derive(w.line, String) }).x)) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { go: true })).toEqual({
    all: [
      ["p0.0", "p0.1"],
      ["p1.0", "p1.1"],
    ],
  });
  expect(seen).toEqual(["p0.0", "p0.1", "p1.0", "p1.1"].flatMap((line) => [`made ${line}`, `said ${line}`]));
});

test("paths name both streams by what they are read as outside", async () => {
  const paths: string[] = [];
  const where = op("where", async ({ x }: { x: string }, ctx) => {
    paths.push(ctx.path);
    return { x };
  });
  const g = graph("paths", (input: Ref<{ go: boolean }>) => {
    const w = when("w", input.go, () => {
      const p = pages({ of: "p", count: 2 });
      return { line: lines({ page: p.page, count: 2 }).line };
    });
    return { all: collect(collect(where({ x: derive(w.line, String) }).x)) };
  });
  await (await open(check)).run(g, { go: true });
  expect(paths.toSorted()).toEqual([
    "paths/w.line[0]/w.line[0]/where",
    "paths/w.line[0]/w.line[1]/where",
    "paths/w.line[1]/w.line[0]/where",
    "paths/w.line[1]/w.line[1]/where",
  ]);
});

test("K5 a full stream outside holds back the inner one inside, and with it the generator", async () => {
  const unread = [0, 0, 0];
  let ahead = 0;
  const fast = op("fast", function* ({ n }: { n: number }) {
    for (let i = 0; i < 100; i++) {
      ahead = Math.max(ahead, ++unread[n]!);
      yield { i: n * 1000 + i };
    }
  });
  const take = op("take", async ({ i }: { i: number }) => {
    await Promise.resolve();
    unread[Math.floor(i / 1000)]!--;
    return { i: i % 1000 };
  });
  const copy = op("copy", ({ i }: { i: number }) => ({ i }));
  const g = graph("full", (input: Ref<{ xs: number[]; go: boolean }>) => {
    const w = when("w", input.go, () => {
      const f = fast({ n: each(input.xs) });
      return { i: copy({ i: f.i }, { buffer: 4 }).i };
    });
    const sum = reduce("sum", take({ i: derive(w.i, Number) }, { buffer: 8 }).i, 0, (a, b) => a + b);
    return { sums: collect(sum) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { xs: [0, 1, 2], go: true })).toEqual({ sums: [4950, 4950, 4950] });
  expect(ahead).toBeLessThanOrEqual(16);
});

test("a stream of streams that a loop returns concatenates in the order of the iterations", async () => {
  const g = graph("turns", (input: Ref<{ n: number }>) => {
    const l = loop("l", {}, { n: input.n }, (s) => {
      const p = pages({ of: "t", count: s.n });
      return {
        next: { n: derive(s.n, (n) => n - 1) },
        until: derive(s.n, (n) => n <= 1),
        result: { line: lines({ page: p.page, count: 1 }).line },
      };
    });
    return { all: collect(collect(l.line)) };
  });
  await crashEverywhere(
    g,
    { n: 3 },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({
        cut,
        result: { status: "completed", output: { all: [["t0.0"], ["t1.0"], ["t2.0"], ["t0.0"], ["t1.0"], ["t0.0"]] } },
      }),
    check,
  );
});

test("a race is decided by the first inner item, not by the item around it", async () => {
  const never = op("never", async function* ({ page: _page }: { page: string }, ctx) {
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    yield { line: "never" };
  });
  const g = graph("r", (input: Ref<{ xs: string[] }>) => {
    const won = race("first", {
      slow: () => ({ line: never({ page: each(input.xs, { name: "slow" }) }).line }),
      quick: () => ({ line: lines({ page: pages({ of: "q", count: 2 }).page, count: 2 }).line }),
    });
    return { all: collect(collect(won.line)) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { xs: ["s"] })).toEqual({
    all: [
      ["q0.0", "q0.1"],
      ["q1.0", "q1.1"],
    ],
  });
});

test("K7 a fallback takes over before the first inner item, and not after it", async () => {
  const g = graph("f", (input: Ref<{ of: string; count: number }>) => {
    const f = fallback(
      "f",
      () => upper(input.of, input.count),
      () => upper("h", 2),
    );
    return {
      all: collect(collect(f.line)),
      each: collect(collect(f.line, { errors: "settle" }), { errors: "settle" }),
    };
  });
  const first = op("first", async ({ x }: { x: string }): Promise<{ y: string }> => {
    throw new Error(x);
  });
  const early = graph("early", (input: Ref<{ of: string }>) => {
    const f = fallback(
      "f",
      () => ({ line: first({ x: lines({ page: pages({ of: input.of, count: 2 }).page, count: 2 }).line }).y }),
      () => upper("h", 2),
    );
    return { all: collect(collect(f.line)) };
  });
  const before = await undisturbed(early, { of: "x" }, check);
  expect(before.result).toMatchObject({
    status: "completed",
    output: { all: [[], ["H1.0"]] },
    errors: [{ node: "f/body/first", handled: true }],
  });
  const ok = await undisturbed(g, { of: "a", count: 2 }, check);
  expect(ok.result).toMatchObject({ status: "completed", output: { all: [[], ["A1.0"]] } });
});

test("what a body that broke off had begun ends as failed outside, in the items too", async () => {
  const g = graph("broken", (input: Ref<{ of: string }>) => {
    const f = fallback(
      "f",
      () => ({ line: lines({ page: pages({ of: input.of, count: 1 }).page, count: 3 }).line }),
      () => ({ line: lines({ page: pages({ of: "h", count: 1 }).page, count: 1 }).line }),
    );
    return { each: collect(collect(f.line, { errors: "settle" }), { errors: "settle" }) };
  });
  await crashEverywhere(
    g,
    { of: "bad" },
    ({ result }) => {
      expect(result.status).toBe("completed");
      expect((result as { output: unknown }).output).toMatchObject({
        each: [
          {
            ok: true,
            value: [
              { ok: true, value: "bad0.0" },
              { ok: false, error: { node: "f/body/lines" } },
            ],
          },
          { ok: false },
        ],
      });
    },
    check,
  );
});

test("inner streams cut off by a failure elsewhere in the body are failed, not short", async () => {
  const seen: string[][] = [];
  const sum = op("sum", ({ all }: { all: string[] }) => {
    seen.push(all);
    return { n: all.length };
  });
  const late = op("late", async ({ x: _x }: { x: string }): Promise<{ y: string }> => {
    for (let i = 0; i < 6; i++) await turn();
    throw new Error("late");
  });
  const g = graph("cut", (input: Ref<{ xs: string[] }>) => {
    const f = fallback(
      "f",
      () => {
        const of = each(input.xs);
        late({ x: derive(input.xs, ([x = ""]) => x) });
        return { line: lines({ page: of, count: 20 }, { parallel: 2 }).line };
      },
      () => ({ line: lines({ page: each(input.xs, { name: "h" }), count: 1 }).line }),
    );
    return { all: collect(sum({ all: collect(f.line) }).n, { errors: "settle" }) };
  });
  await crashEverywhere(
    g,
    { xs: ["a", "b"] },
    ({ result }) => {
      expect(result).toMatchObject({ status: "completed", errors: [{ node: "f/body/late" }, { node: "f" }] });
      const { all } = (result as { output: { all: { ok: boolean }[] } }).output;
      expect(all.map(({ ok }) => ok)).not.toContain(true);
    },
    check,
  );
  expect(seen).toEqual([]);
});

test("an inner stream that fails in an arm fails outside, alone; others go on", async () => {
  const g = graph("torn", (input: Ref<{ ofs: string[]; go: boolean }>) => {
    const w = when("w", input.go, () => {
      const of = each(input.ofs);
      return { line: lines({ page: of, count: 2 }, { parallel: 2 }).line };
    });
    return { all: collect(collect(w.line), { errors: "settle" }) };
  });
  await crashEverywhere(
    g,
    { ofs: ["ok0", "bad0", "ok1"], go: true },
    ({ result }) => {
      expect(result.status).toBe("completed");
      const { all } = (result as { output: { all: { ok: boolean }[] } }).output;
      expect(all).toHaveLength(3);
      expect(all).toContainEqual({ ok: true, value: ["ok0.0", "ok0.1"] });
      expect(all).toContainEqual({ ok: true, value: ["ok1.0", "ok1.1"] });
      expect(all.filter(({ ok }) => !ok)).toMatchObject([{ error: { node: "w/then/lines" } }]);
    },
    check,
  );
});

test("three streams in one another leave together", async () => {
  const g = graph("deep", (input: Ref<{ rows: string[][][]; go: boolean }>) => {
    const w = when("w", input.go, () => {
      const cell = each(each(each(input.rows)));
      return { y: up({ x: cell }).y };
    });
    return { all: collect(collect(collect(w.y))) };
  });
  const rows = [[["a", "b"], []], [], [["c"]]];
  await crashEverywhere(
    g,
    { rows, go: true },
    ({ result }) => {
      expect(result.status).toBe("completed");
      const { all } = (result as { output: { all: string[][][] } }).output;
      expect(new Set(all.map((row) => new Set(row.map((part) => new Set(part)))))).toEqual(
        new Set([new Set([new Set(), new Set(["A", "B"])]), new Set(), new Set([new Set(["C"])])]),
      );
    },
    check,
  );
});

test("a block per item lets out a stream of streams per item", async () => {
  const g = graph("perItem", (input: Ref<{ books: { big: boolean; parts: string[][] }[] }>) => {
    const book = each(input.books);
    const w = when("w", book.big, () => ({ y: up({ x: each(each(book.parts)) }).y }));
    return { all: collect(collect(collect(w.y))) };
  });
  await crashEverywhere(
    g,
    {
      books: [
        { big: true, parts: [["a"], ["b", "c"]] },
        { big: false, parts: [["x"]] },
      ],
    },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({
        cut,
        result: { status: "completed", output: { all: [[["A"], ["B", "C"]], []] } },
      }),
    check,
  );
});

test("a sweep of a stream of streams that left a block reaches what makes it inside", async () => {
  let aborted = 0;
  const endless = op("endless", async function* ({ page }: { page: string }, ctx) {
    yield { line: page };
    await new Promise<void>((resolve) =>
      ctx.signal.addEventListener("abort", () => {
        aborted++;
        resolve();
      }),
    );
  });
  const g = graph("swept", (input: Ref<{ xs: string[]; go: boolean; stop: boolean }>) => {
    const w = when("w", input.go, () => ({ line: endless({ page: each(input.xs) }, { parallel: 2 }).line }));
    const said = up({ x: derive(w.line, String) });
    const halt = pages({ of: "stop", count: 1 }).page;
    const on = derive(collect(halt), () => true);
    sweep("halt", { on, cancel: [said] });
    return { all: collect(collect(said.y)) };
  });
  const engine = await open(check);
  const result = await engine.run(g, { xs: ["a", "b"], go: true, stop: true });
  expect(result.all.length).toBeLessThanOrEqual(2);
  await turn();
  expect(aborted).toBe(2);
});

test("bodies that let out streams of different depth are refused when the graph is built", () => {
  expect(() =>
    graph("depths", (input: Ref<{ go: boolean; xs: string[] }>) => {
      const w = when(
        "w",
        input.go,
        () => ({ line: lines({ page: each(input.xs), count: 1 }).line }),
        () => ({ line: each(input.xs, { name: "flat" }) }),
      );
      return { all: collect(w.line as never) };
    }),
  ).toThrow(/w\.line is a stream of streams in w\/then and a stream of values in w\/else/);
});
