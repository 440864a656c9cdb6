/** Constructs inside of each other: values, what was aborted, and a crash at every record. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  memory,
  sleep,
  type Handle,
  type RunResult,
  append,
  cell,
  collect,
  derive,
  each,
  fallback,
  given,
  graph,
  interrupt,
  loop,
  op,
  orElse,
  push,
  race,
  read,
  reduce,
  route,
  sweep,
  text,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "./support/engines.ts";
import { crashedEverywhere, plainly, recorded, sameEverywhere, type Script } from "./prototype/running.ts";
import { did } from "./prototype/world.ts";

const completed = (output: unknown): object => ({ status: "completed", output, errors: [] });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));

const gen = op("gen", async function* ({ of, count }: { of: string; count: number }) {
  for (let i = 0; i < count; i++) {
    await turn();
    yield { tok: `${of}${i}` };
  }
});
const up = op("up", async ({ x }: { x: string }) => {
  await did(`up ${x}`);
  return { y: x.toUpperCase() };
});
const odd = op("odd", async ({ x }: { x: string }) => {
  await did(`odd ${x}`);
  if (x.endsWith("1")) throw new Error(`odd ${x}`);
  return { y: x };
});
const never = op("never", async ({ x }: { x: string }, ctx) => {
  await hang(ctx.signal);
  return { y: x };
});

describe("blocks in items", () => {
  test("a fallback per item takes over where its item failed, at any width", async () => {
    const g = graph("g", (input: Ref<{ count: number }>) => {
      const { tok } = gen({ of: "t", count: input.count });
      const safe = fallback(
        "safe",
        () => {
          const first = odd({ x: tok }, { parallel: 3 });
          return { y: up({ x: first.y }, { parallel: 2 }).y };
        },
        (e) => ({ y: text`${e.message}!` }),
      );
      return { all: collect(safe.y), folded: reduce("folded", safe.y, 0, (n, y) => n + y.length) };
    });
    const { result } = await sameEverywhere(g, { count: 4 });
    expect(result).toMatchObject({
      status: "completed",
      output: { all: ["T0", "odd t1!", "T2", "T3"], folded: 13 },
      errors: [{ node: "safe/body/odd", count: 1, handled: true }],
    });
  });

  test("a loop per item, whose turns return a stream: streams of streams leave it", async () => {
    const g = graph("g", (input: Ref<{ ns: number[] }>) => {
      const n = each(input.ns);
      const l = loop("l", {}, { k: n, sum: 0 }, (s) => {
        const t = gen({ of: "t", count: s.k });
        return {
          next: {
            k: derive(s.k, (k) => k - 1),
            sum: derive([s.sum, collect(t.tok)], ([sum, all]) => sum + all.length),
          },
          until: derive(s.k, (k) => k <= 1),
          result: { tok: up({ x: t.tok }).y, sum: s.sum },
        };
      });
      return { toks: collect(collect(l.tok)), sums: collect(l.sum) };
    });
    const { result } = await sameEverywhere(g, { ns: [2, 1] });
    expect(result).toMatchObject({
      status: "completed",
      output: { toks: [["T0", "T1", "T0"], ["T0"]], sums: [2, 0] },
      errors: [],
    });
  });

  test("a race per item between an op that hangs and one that answers, and a race between streams", async () => {
    const g = graph("g", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      const r = race("r", { hangs: () => never({ x }), answers: () => up({ x }) });
      const s = race("s", {
        hangs: () => ({ tok: never({ x: gen({ of: "never", count: 3 }).tok }).y }),
        answers: () => gen({ of: "s", count: 2 }),
      });
      return { ys: collect(r.y), toks: collect(s.tok) };
    });
    const { result } = await sameEverywhere(g, { xs: ["a", "b"] });
    expect(result).toMatchObject({
      status: "completed",
      output: {
        ys: ["A", "B"],
        toks: ["s0", "s1"],
      },
      errors: [],
    });
  });

  test("routes in routes, with streams that leave both", async () => {
    const g = graph("g", (input: Ref<{ kinds: ("a" | "b")[]; deep?: string }>) => {
      const kind = each(input.kinds);
      const r = route("outer", kind, {
        a: () => {
          const v = given(
            "deep",
            input.deep,
            (d) => ({ tok: up({ x: gen({ of: text`${kind}d`, count: 2 }).tok }).y, last: d }),
            () => ({ tok: gen({ of: "e", count: 1 }).tok, last: "none" }),
          );
          return { tok: v.tok, last: v.last };
        },
        b: () => ({ tok: gen({ of: "b", count: 1 }).tok, last: "b" }),
      });
      return { toks: collect(collect(r.tok)), last: collect(r.last) };
    });
    const deep = await sameEverywhere(g, { kinds: ["a", "b"], deep: "yes" });
    expect(deep.result).toMatchObject({ output: { toks: [["AD0", "AD1"], ["b0"]], last: ["yes", "b"] } });
    const shallow = await sameEverywhere(g, { kinds: ["b", "a"] });
    expect(shallow.result).toMatchObject({ output: { toks: [["b0"], ["e0"]], last: ["b", "none"] } });
  });
});

describe("zip", () => {
  test("pairs a stream that leaves an arm with a list, per item", async () => {
    const g = graph("g", (input: Ref<{ groups: { go: boolean; marks: string[] }[] }>) => {
      const group = each(input.groups);
      const w = when(
        "w",
        group.go,
        () => gen({ of: "y", count: derive(group.marks, (marks) => marks.length) }),
        () => ({ tok: up({ x: gen({ of: "n", count: 2 }).tok }).y }),
      );
      const pair = zip({ tok: w.tok, mark: each(group.marks) });
      return { pairs: collect(collect(derive(pair, ({ tok, mark }) => tok + mark))) };
    });
    const groups = [
      { go: true, marks: ["!", "?"] },
      { go: false, marks: ["a", "b"] },
    ];
    const { result } = await sameEverywhere(g, { groups });
    expect(result).toMatchObject({
      status: "completed",
      output: {
        pairs: [
          ["y0!", "y1?"],
          ["N0a", "N1b"],
        ],
      },
      errors: [],
    });
  });

  test("a pair one half of which failed fails, and the others go on", async () => {
    const g = graph("g", (input: Ref<{ xs: string[]; ys: string[] }>) => {
      const pair = zip({ x: odd({ x: each(input.xs) }, { parallel: 2 }).y, y: up({ x: each(input.ys) }).y });
      return {
        rows: collect(
          derive(pair, ({ x, y }) => x + y),
          { errors: "settle" },
        ),
      };
    });
    const { result } = await sameEverywhere(g, { xs: ["x0", "x1", "x2"], ys: ["a", "b", "c"] });
    expect(result).toMatchObject({
      status: "completed",
      output: { rows: [{ value: "x0A" }, { ok: false, error: { node: "odd" } }, { value: "x2C" }] },
    });
  });
});

describe("questions in blocks", () => {
  const Answer = z.object({ say: z.string() });
  const ask = (name: string, about: Ref<string>) => interrupt(name, { about }, { answer: Answer });
  const answering: Script = { answer: ({ payload }) => ({ say: `re ${(payload as { about: string }).about}` }) };

  test("a fallback whose body fails withdraws the questions of the body", async () => {
    const g = graph("g", (input: Ref<{ x: string }>) => {
      const f = fallback(
        "f",
        () => {
          const a = ask("ask", input.x);
          const broken = odd({ x: text`${input.x}1` });
          return { said: text`${a.say} ${broken.y}` };
        },
        () => ({ said: ask("again", input.x).say }),
      );
      return { said: f.said };
    });
    const asked: string[] = [];
    const script: Script = {
      answer: (question) => {
        asked.push(question.node);
        return answering.answer!(question);
      },
    };
    const { result } = await plainly(g, { x: "x" }, script);
    expect(result).toMatchObject({ status: "completed", output: { said: "re x" } });
    expect(asked).toEqual(["f/handler/again"]);
    expect((await sameEverywhere(g, { x: "x" }, answering)).result).toEqual(result);
  });

  test("a loop of races between a question and an op ends by what won, and pushes in order", async () => {
    const log = cell("log", append<string>());
    const g = graph("g", (input: Ref<{ n: number }>) => {
      const l = loop("l", {}, { n: input.n }, (s) => {
        const about = text`${s.n}`;
        const r = race("r", { person: () => ({ y: ask("ask", about).say }), machine: () => up({ x: text`m${s.n}` }) });
        push(log, r.y);
        return { next: { n: derive(s.n, (n) => n - 1) }, until: derive(s.n, (n) => n <= 1), result: { y: r.y } };
      });
      return { last: l.y, log: read(log, { after: [l] }) };
    });
    const { result } = await sameEverywhere(g, { n: 3 }, answering);
    expect(result).toMatchObject({ status: "completed", output: { last: "M1", log: ["M3", "M2", "M1"] }, errors: [] });
  });
});

describe("sweep", () => {
  const later = op("later", async function* ({ count }: { count: number }) {
    for (let i = 0; i < count; i++) {
      yield { i };
      for (let turns = 0; turns < 10; turns++) await turn();
    }
  });

  test("reaches the items of a stream that leaves an arm, and what makes them inside", async () => {
    let stopped = 0;
    const tokens = op("tokens", async function* ({ of }: { of: number }, ctx) {
      yield { tok: `${of}a` };
      yield { tok: `${of}b` };
      if (of > 0) return;
      await new Promise<void>((resolve) =>
        ctx.signal.addEventListener("abort", () => {
          stopped++;
          resolve();
        }),
      );
    });
    const slow = op("slow", async ({ x }: { x: string }, ctx) => (x.startsWith("0") ? hang(ctx.signal) : { y: x }));
    const g = graph("g", (input: Ref<{ count: number }>) => {
      const { i } = later({ count: input.count });
      const w = when(
        "w",
        derive(i, (n) => n >= 0),
        () => ({ y: up({ x: tokens({ of: i }).tok }).y }),
      );
      const done = slow({ x: orElse(w.y, "") }, { parallel: 2 });
      const swept = sweep("stop", { on: derive(i, (n) => n === 1), cancel: [done] });
      return { made: collect(collect(w.y)), done: collect(collect(done.y)), swept: collect(swept) };
    });
    const made = [
      ["0A", "0B"],
      ["1A", "1B"],
    ];
    for (const run of [plainly, recorded]) {
      stopped = 0;
      const { result } = await run(g, { count: 2 });
      expect(result).toMatchObject(completed({ made, done: [[], ["1A", "1B"]], swept: [0, 3] }));
      expect(stopped).toBe(1);
    }
    await crashedEverywhere(g, { count: 2 }, {}, ({ result }, cut) => {
      expect([cut, result]).toMatchObject([cut, { status: "completed", errors: [] }]);
      const { output } = result as { output: { made: string[][]; done: string[][] } };
      expect([cut, output.made.at(-1), output.done.at(-1)]).toEqual([cut, ["1A", "1B"], ["1A", "1B"]]);
    });
  });
});

describe("what ends a run, with everything open", () => {
  const Answer = z.object({ say: z.string() });
  const nap = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const slow = op("slow", async ({ x, ms }: { x: string; ms: number }) => {
    await nap(ms);
    return { y: x };
  });

  test("a run is drained again and again through loops, races and fallbacks per item, and ends as if it had not been", async () => {
    const broken = op("broken", async (_input: { x: string }): Promise<{ y: string }> => {
      await nap(1);
      throw new Error("broken");
    });
    const g = graph("g", (input: Ref<{ count: number }>) => {
      const { tok } = gen({ of: "t", count: input.count });
      const l = loop("l", {}, { k: 0, x: tok }, (s) => {
        const r = race("r", { a: () => slow({ x: s.x, ms: 3 }), b: () => slow({ x: s.x, ms: 300 }) });
        const f = fallback(
          "f",
          () => broken({ x: r.y }),
          () => up({ x: r.y }),
        );
        return {
          next: { k: derive(s.k, (k) => k + 1), x: f.y },
          until: derive(s.k, (k) => k >= 2),
          result: { y: f.y },
        };
      });
      return { all: collect(l.y) };
    });
    const engine = await open({ backend: memory(), graphs: [g], check: checkInvariants });
    let handle: Pick<Handle<unknown>, "drain"> = await engine.start(g, { count: 4 }, { id: "run" });
    let drains = -1;
    let result: RunResult<unknown>;
    do {
      await nap(4);
      result = await handle.drain();
      drains++;
      if (result.status === "drained") handle = await engine.resume("run");
    } while (result.status === "drained");
    expect(drains).toBeGreaterThan(0);
    expect(result).toMatchObject({
      status: "completed",
      output: { all: ["T0", "T1", "T2", "T3"] },
      errors: [{ node: "l/f/body/broken", count: 12, handled: true }],
    });
  });

  test.each([0, 1, 3, 8])("a run that is cancelled after %i ms leaves no question and no timer open", async (ms) => {
    const g = graph("g", (input: Ref<{ count: number }>) => {
      const { tok } = gen({ of: "t", count: input.count });
      const w = when(
        "w",
        derive(tok, (t) => t !== "t1"),
        () => ({ y: interrupt("ask", { tok }, { answer: Answer }).say }),
        () => slow({ x: tok, ms: 100 }),
      );
      const r = race("r", {
        person: () => ({ y: interrupt("ask", { tok }, { answer: Answer }).say }),
        clock: () => ({ y: up({ x: tok }, { after: [sleep("nap", "1d")] }).y }),
      });
      return { ws: collect(w.y), rs: collect(r.y) };
    });
    for (const options of [{}, { backend: memory() }]) {
      const engine = await open({ ...options, check: checkInvariants });
      const handle = await engine.start(g, { count: 4 });
      await nap(ms);
      expect(await handle.cancel("enough")).toMatchObject({ status: "cancelled", reason: "enough" });
      expect(handle.interrupts()).toEqual([]);
      await expect(handle.answer("w/then/ask", { say: "x" })).rejects.toMatchObject({ code: "InterruptNotFound" });
    }
  });

  test("under errors: raise what fallbacks handle raises nothing", async () => {
    const g = graph("g", (input: Ref<{ count: number }>) => {
      const { tok } = gen({ of: "t", count: input.count });
      const f = fallback(
        "f",
        () => odd({ x: text`${up({ x: tok }).y}1` }),
        () => ({ y: tok }),
      );
      return { all: collect(f.y) };
    });
    const { result } = await sameEverywhere(g, { count: 3 }, { run: { errors: "raise" } });
    expect(result).toMatchObject({
      status: "completed",
      output: { all: ["t0", "t1", "t2"] },
      errors: [{ node: "f/body/odd", count: 3, handled: true }],
    });
  });
});
