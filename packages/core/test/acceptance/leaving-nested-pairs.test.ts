/** Streams of streams that leave blocks, where their items are paired or folded, inside or outside. */
import { expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  graph,
  loop,
  memory,
  op,
  reduce,
  sweep,
  when,
  zip,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { readJournal } from "../../src/testing/simulate/journal.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";
import { crashEverywhere, open } from "./support/engines.ts";
import { eventually, gate } from "./support/gate.ts";

const check = { check: checkInvariants };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const stopped = { pages: 0, lines: 0 };

const endlessPages = op("endlessPages", async function* ({ from }: { from: number }) {
  try {
    for (let page = from; ; page++) {
      await turn();
      yield { page };
    }
  } finally {
    stopped.pages++;
  }
});
const lines = op("lines", async function* ({ page }: { page: number }) {
  for (let i = 0; i < page % 3; i++) {
    await turn();
    yield { line: `${page}.${i}` };
  }
});
const endlessLines = op("endlessLines", async function* ({ page }: { page: number }) {
  try {
    for (let i = 0; ; i++) {
      await turn();
      yield { line: `${page}.${i}` };
    }
  } finally {
    stopped.lines++;
  }
});

interface Outcome {
  readonly status: string;
  readonly output: unknown;
}

/** What it comes to, without a crash and with one behind every record, each different one once. */
async function outcomesOf<I>(g: Graph<I, unknown>, input: I): Promise<Outcome[]> {
  const outcomes = new Map<string, Outcome>();
  const add = ({ status, output }: Outcome): unknown =>
    outcomes.set(JSON.stringify([status, output]), { status, output });
  const { result } = await crashEverywhere(g, input as never, (crash) => add(crash.result as Outcome), check);
  add(result as Outcome);
  return [...outcomes.values()];
}

/** One run, and what the reference interpreter makes of its journal. */
async function interpreted<I>(g: Graph<I, unknown>, input: I): Promise<{ run: unknown; reference: unknown }> {
  const backend = memory();
  const engine = await open({ ...check, backend });
  const { output } = (await (await engine.start(g, input, { id: "run" })).result()) as Outcome;
  const { happenings } = await readJournal(backend, "run");
  return { run: output, reference: (interpret(planOf(g), happenings).reference.outcome as Outcome).output };
}

test("a stream of streams that is paired with a shorter one is stopped inside, with the streams in its items", async () => {
  const g = graph("paired", (input: Ref<{ xs: number[] }>) => {
    const w = when(
      "w",
      derive(input.xs, (xs) => xs.length >= 0),
      () => ({ line: lines({ page: endlessPages({ from: 0 }).page }).line }),
      () => ({ line: lines({ page: each(input.xs) }).line }),
    );
    const pair = zip({ x: each(input.xs), page: collect(w.line) }, { name: "pairs", uneven: "stop" });
    return { all: collect(pair) };
  });
  const before = stopped.pages;
  const output = {
    all: [
      { x: 7, page: [] },
      { x: 8, page: ["1.0"] },
    ],
  };
  expect(await outcomesOf(g, { xs: [7, 8] })).toEqual([{ status: "completed", output }]);
  expect(await interpreted(g, { xs: [7, 8] })).toEqual({ run: output, reference: output });
  await eventually("generators are stopped at their next item", () => stopped.pages > before);
});

test("one that leaves a loop for pairs that are over is stopped in every turn", async () => {
  const g = graph("turns", (input: Ref<{ xs: number[] }>) => {
    const turns = loop("turns", { max: 5 }, { n: 0 }, (s) => {
      const { line } = lines({ page: endlessPages({ from: s.n }).page });
      const n = derive(s.n, (before) => before + 1);
      return { next: { n }, until: derive(n, (count) => count === 3), result: { n, line } };
    });
    const pages = reduce("page", turns.line, "", (all, line) => all + line);
    const pair = zip({ x: each(input.xs), page: pages }, { name: "pairs", uneven: "stop" });
    return { pages: collect(pair.page) };
  });
  const output = { pages: ["", "1.0", "2.02.1"] };
  expect(await outcomesOf(g, { xs: [7, 8, 9] })).toEqual([{ status: "completed", output }]);
  expect(await interpreted(g, { xs: [7, 8, 9] })).toEqual({ run: output, reference: output });
});

test("pairs leave in the items of a stream, and what makes the longer of their streams is stopped", async () => {
  const g = graph("within", (input: Ref<{ xs: number[] }>) => {
    const w = when(
      "w",
      derive(input.xs, (xs) => xs.length > 0),
      () => {
        const page = each(input.xs);
        const mark = each(
          derive(page, (n) => Array.from({ length: n }, (_, i) => i)),
          { name: "marks" },
        );
        const { line } = endlessLines({ page });
        return { line: derive(zip({ mark, line }, { name: "marked", uneven: "stop" }), (p) => `${p.mark}:${p.line}`) };
      },
    );
    // They go out in the order in which their first pairs, or their ends, arrive.
    return { all: derive(collect(collect(w.line)), (all) => all.toSorted((a, b) => a.length - b.length)) };
  });
  const before = stopped.lines;
  const all = [[], ["0:1.0"], ["0:2.0", "1:2.1"]];
  expect(await outcomesOf(g, { xs: [1, 0, 2] })).toEqual([{ status: "completed", output: { all } }]);
  expect(await interpreted(g, { xs: [1, 0, 2] })).toEqual({ run: { all }, reference: { all } });
  await eventually("generators are stopped at their next item", () => stopped.lines > before);
});

test("an unsafe op in the items inside is not broken off: the stream goes on to its end", async () => {
  const noted: number[] = [];
  const note = op("note", { effect: "unsafe" }, async ({ page }: { page: number }) => {
    await turn();
    noted.push(page);
    return { page };
  });
  const g = graph("kept", (input: Ref<{ xs: number[]; ys: number[] }>) => {
    const w = when(
      "w",
      derive(input.xs, (xs) => xs.length > 0),
      () => ({ line: lines({ page: note({ page: each(input.ys) }).page }).line }),
    );
    const pair = zip({ x: each(input.xs), page: collect(w.line) }, { name: "pairs", uneven: "stop" });
    return { pages: collect(pair.page) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { xs: [1], ys: [1, 2, 3, 4] })).toEqual({ pages: [["1.0"]] });
  expect(noted).toEqual([1, 2, 3, 4]);
});

test("K5 what a reduce keeps of a stream in an item is bounded by its buffer, and the maker inside waits", async () => {
  const door = gate();
  const seen = { made: 0, through: 0 };
  const count = op("count", async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) {
      seen.made++;
      yield { i };
    }
  });
  const firstHangs = op("firstHangs", async ({ i }: { i: number }) => {
    if (i === 0) await door.opened;
    seen.through++;
    return { i };
  });
  const g = graph("folded", (input: Ref<{ xs: number[] }>) => {
    const w = when(
      "w",
      derive(input.xs, (xs) => xs.length > 0),
      () => {
        const { i } = count({ n: each(input.xs) });
        return { i: derive(firstHangs({ i }, { name: "before", buffer: 3 }).i, (n) => n) };
      },
    );
    const { i } = firstHangs({ i: derive(w.i, (n = 0) => (n === 1 ? 0 : n + 1)) }, { parallel: 4, buffer: 5 });
    return { sums: collect(reduce("sum", i, 0, (sum, n) => sum + n)) };
  });
  const engine = await open(check);
  const handle = await engine.start(g, { xs: [200] });
  await eventually("the first is there", () => seen.made > 0);
  for (let i = 0; i < 300; i++) await turn();
  // The first hangs inside; nothing of it is outside yet, and no more than the buffer inside was made.
  expect(seen).toEqual({ made: 3, through: 0 });
  door.open();
  // 0 .. 199, each one more, but that 1 becomes 0.
  const sum = (199 * 200) / 2 + 200 - 2;
  expect(await handle.result()).toMatchObject({ status: "completed", output: { sums: [sum] } });
});

// The sweep looked for the item inside in all arms, and broke the engine where it was of another one.
test("a stream in an earlier item is swept inside of the arm that it comes from", async () => {
  const g = graph("swept", (input: Ref<{ xs: number[] }>) => {
    const page = (name: string) => each(input.xs, { name });
    const w = when(
      "w",
      derive(input.xs, (xs) => xs.length > 0),
      () => {
        const p = page("taken");
        const line = when(
          "which",
          derive(p, (n) => n === 0),
          () => ({ line: endlessLines({ page: p }).line }),
          () => ({ line: lines({ page: p }).line }),
        );
        return line;
      },
      () => lines({ page: page("other") }),
    );
    const whole = collect(w.line);
    sweep("stop", { on: derive(whole, (all) => all.length === 2), cancel: [w.line] });
    return { count: collect(derive(whole, (all) => all.length >= 0)) };
  });
  const before = stopped.lines;
  const output = { count: [true, true, true] };
  expect(await interpreted(g, { xs: [0, 1, 2] })).toEqual({ run: output, reference: output });
  await eventually("generators are stopped at their next item", () => stopped.lines > before);
});
