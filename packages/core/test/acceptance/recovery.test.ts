import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  graph,
  memory,
  op,
  push,
  read,
  reduce,
  type Ref,
} from "../../src/index.ts";
import { VirtualClock } from "./support/clock.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { countsOf } from "./support/files.ts";
import { forever } from "./support/gate.ts";

/** What ran, by path, in the process that is alive now. */
let ran: string[] = [];
const keys = new Map<string, Set<string>>();

interface Ctx {
  readonly path: string;
  readonly runId: string;
  readonly idempotencyKey: string;
}

function note(ctx: Ctx): void {
  ran.push(ctx.path);
  const at = `${ctx.runId} ${ctx.path}`;
  keys.set(at, (keys.get(at) ?? new Set()).add(ctx.idempotencyKey));
}

const pages = op("pages", async function* ({ site }: { site: string }, ctx) {
  note(ctx);
  for (const page of ["a", "b", "c"]) yield { url: `${site}/${page}` };
});
const load = op("load", async ({ url }: { url: string }, ctx) => {
  note(ctx);
  return { words: [url, `${url}!`] };
});
const count = op("count", async ({ word }: { word: string }, ctx) => {
  note(ctx);
  return { n: word.length };
});
const report = op("report", ({ sums }: { sums: number[] }, ctx) => {
  note(ctx);
  return { text: sums.join("+") };
});
const log = cell("log", append<string>());
const counting = graph("counting", (input: Ref<{ words: string[] }>) => {
  const c = count({ word: each(input.words) }, { parallel: 2 });
  return { sum: reduce("sum", c.n, 0, (sum, n) => sum + n) };
});
const loading = graph("loading", (input: Ref<{ url: string }>) => {
  const page = load({ url: input.url });
  const pushed = push(
    log,
    derive(page.words, ([first = ""]) => first),
  );
  return { counted: counting({ words: page.words }).sum, pushed };
});
const crawl = graph("crawl", (input: Ref<{ site: string }>) => {
  const each1 = loading({ url: pages({ site: input.site }).url }, { parallel: 2 });
  const sums = collect(each1.counted);
  return { text: report({ sums }).text, sums, log: read(log, { after: [each1.pushed] }) };
});

/** Invocations whose end stands in the first `cut` records, as `node at context`. */
function finishedBy(records: readonly (readonly unknown[])[], cut: number): number {
  return records.slice(0, cut).filter(([kind]) => kind === 1 || kind === 3).length;
}

test("R11 R17 after a crash behind any record, inside nested subgraphs and streams, finished ops do not run again, all others do, and the output is that of an undisturbed run", async () => {
  ran = [];
  const { recording, result } = await undisturbed(crawl, { site: "s" });
  const whole = ran.toSorted();
  expect(new Set(whole).size).toBe(whole.length);
  expect(result).toMatchObject({ status: "completed", output: { text: "7+7+7" }, errors: [] });
  for (let cut = 1; cut < recording.records.length; cut++) {
    ran = [];
    expect(await afterCrash(recording, cut, crawl), `crashed behind record ${cut}`).toEqual(result);
    const again = ran.toSorted();
    expect(new Set(again).size, `bodies after record ${cut} ran once each`).toBe(again.length);
    expect(again.length, `bodies that ran again after record ${cut}`).toBe(
      whole.length - finishedBy(recording.records, cut),
    );
    expect(whole).toEqual(expect.arrayContaining(again));
  }
});

test("R12 the idempotency key is the same over a crash behind any record, and differs by run, node, item and subgraph", async () => {
  keys.clear();
  ran = [];
  const engine = await open({ backend: memory() });
  await engine.run(crawl, { site: "s" }, { id: "other" });
  await crashEverywhere(crawl, { site: "s" }, () => undefined);
  const all = [...keys.values()];
  expect(all.length).toBe(2 * (1 + 3 + 6 + 1));
  for (const [at, own] of keys) expect(own.size, at).toBe(1);
  expect(new Set(all.flatMap((own) => [...own])).size).toBe(all.length);
});

test("R12 the key of an op in flight at the crash is the same in the attempt that runs again, and over retries", async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  let alive = 0;
  const pay = op("pay", { retry: { attempts: 3, initial: 10, on: () => true } }, async ({ n }: { n: number }, ctx) => {
    seen.push(`${ctx.attempt} ${ctx.idempotencyKey}`);
    if (ctx.attempt === 1) throw new Error("again");
    if (alive === 0) await forever();
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: pay({ n: input.n }).n }));
  const store = memory();
  const first = await open({ backend: store, clock });
  await first.start(flow, { n: 1 }, { id: "r" });
  await clock.advance(1_000);
  await first.close();
  alive = 1;
  const second = await open({ backend: store.another(), graphs: [flow], clock });
  expect(await clock.until(second.recovered[0]!.result())).toMatchObject({ status: "completed", output: { n: 1 } });
  expect(seen.map((line) => line.split(" ")[0])).toEqual(["1", "2", "2"]);
  expect(new Set(seen.map((line) => line.split(" ")[1])).size).toBe(1);
});

test("R11 closing an engine aborts its bodies and leaves the run to the next engine, which says what was finished meanwhile", async () => {
  const store = memory();
  const aborted: string[] = [];
  let alive = 0;
  const one = op("one", async ({ n }: { n: number }) => ({ n: n + 1 }));
  const two = op("two", async ({ n }: { n: number }, ctx) => {
    ctx.signal.addEventListener("abort", () => aborted.push(ctx.path));
    if (alive === 0) await forever();
    return { n: n * 10 };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: two({ n: one({ n: input.n }).n }).n }));
  const first = await open({ backend: store });
  const handle = await first.start(flow, { n: 1 }, { id: "r" });
  const lost = handle.result().catch((error: unknown) => error);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await first.get("r")).toMatchObject({ status: "running", finished: { one: 1 } });
  await first.close();
  expect(await lost).toMatchObject({ code: "EngineClosed" });
  expect(aborted).toEqual(["flow/two"]);
  alive = 1;
  const second = await open({ backend: store.another(), graphs: [flow] });
  expect(await second.recovered[0]!.output()).toEqual({ n: 20 });
  expect(await second.get("r")).toMatchObject({
    status: "completed",
    epoch: 2,
    output: { n: 20 },
    finished: { one: 1, two: 1 },
  });
});

test("R18 a generator of any width runs its items with a cap and gathers them in order, also when it is empty", async () => {
  const clock = new VirtualClock();
  let active = 0;
  let most = 0;
  const width = op("width", async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) yield { k };
  });
  const work = op("work", async ({ k }: { k: number }) => {
    most = Math.max(most, ++active);
    await clock.sleep((k * 7) % 5);
    active--;
    return { k: k * k };
  });
  const wide = graph("wide", (input: Ref<{ n: number }>) => ({
    all: collect(work({ k: width({ n: input.n }).k }, { parallel: 3 }).k),
  }));
  const engine = await open({ clock });
  for (const n of [0, 1, 2, 57]) {
    most = 0;
    expect(await clock.until(engine.run(wide, { n }))).toEqual({ all: Array.from({ length: n }, (_, k) => k * k) });
    expect(most).toBe(Math.min(3, n));
  }
  const api = await import("../../src/index.ts");
  expect(Object.keys(api).filter((name) => /goto/i.test(name))).toEqual([]);
});

test("H60 concurrency 1 with three levels of nesting finishes, with never more than one body active", async () => {
  let active = 0;
  let most = 0;
  const leaf = op("leaf", async ({ n }: { n: number }) => {
    most = Math.max(most, ++active);
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    return { list: [n, n + 1], n };
  });
  const third = graph("third", (input: Ref<{ n: number }>) => ({
    n: collect(leaf({ n: each(leaf({ n: input.n }).list) }, { name: "inner", parallel: 2 }).n),
  }));
  const second = graph("second", (input: Ref<{ n: number }>) => ({
    n: collect(third({ n: each(leaf({ n: input.n }).list) }, { parallel: 2 }).n),
  }));
  const first = graph("first", (input: Ref<{ xs: number[] }>) => ({
    n: collect(second({ n: each(input.xs) }, { parallel: 2 }).n),
  }));
  for (const options of [{ concurrency: 1 }, { runConcurrency: 1 }, { concurrency: 2, runConcurrency: 2 }]) {
    most = 0;
    const engine = await open(options);
    const outputs = await Promise.all([engine.run(first, { xs: [1, 5] }), engine.run(first, { xs: [1, 5] })]);
    const expected = [1, 5].map((n) => [n, n + 1].map((m) => [m, m + 1]));
    expect(outputs).toEqual([{ n: expected }, { n: expected }]);
    expect(most).toBe(options.runConcurrency === 1 ? 2 : options.concurrency);
  }
});

test("H42 a body that changes its input changes nothing for other nodes, and nothing depends on where a crash was", async () => {
  const source = op("source", async () => ({ list: [1] }));
  const greedy = op("greedy", async ({ list }: { list: number[] }) => {
    try {
      list.push(2);
    } catch {
      // A frozen input is as good as one of its own.
    }
    return { n: 10 };
  });
  const tally = op("tally", async ({ list, n }: { list: number[]; n: number }) => ({ n: list.length + n }));
  const flow = graph("flow", () => {
    const { list } = source();
    return { n: tally({ list, n: greedy({ list }).n }).n };
  });
  const { result } = await crashEverywhere(flow, {}, ({ result: again, cut }, { result: whole }) => {
    expect(again, `crashed behind record ${cut}`).toEqual(whole);
  });
  expect(result).toMatchObject({ output: { n: 11 } });
});

test("H9 fifty resumes of a run that runs here give its handle and start nothing", async () => {
  let bodies = 0;
  let end = (): void => undefined;
  const long = op("long", async ({ n }: { n: number }) => {
    bodies++;
    await new Promise<void>((resolve) => (end = resolve));
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: long({ n: input.n }).n }));
  const engine = await open({ backend: memory(), graphs: [flow] });
  const handle = await engine.start(flow, { n: 3 }, { id: "r" });
  const again = await Promise.all(Array.from({ length: 50 }, () => engine.resume("r")));
  expect(new Set(again)).toEqual(new Set([handle]));
  end();
  expect(await Promise.all(again.map((other) => other.output()))).toEqual(Array.from({ length: 50 }, () => ({ n: 3 })));
  expect(bodies).toBe(1);
});

test("H9 fifty resumes at once of a run that nobody has: one takes it, the bodies run once", async () => {
  const store = memory();
  const bodies: string[] = [];
  let alive = 0;
  const long = op("long", async ({ n }: { n: number }, ctx) => {
    bodies.push(ctx.path);
    if (alive === 0) await forever();
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: long({ n: input.n }).n }));
  const first = await open({ backend: store });
  (await first.start(flow, { n: 3 }, { id: "r" })).result().catch(() => undefined);
  await first.close();
  alive = 1;
  bodies.length = 0;
  const engine = await open({ backend: store.another(), graphs: [flow], recover: false });
  const tries = await Promise.allSettled(Array.from({ length: 50 }, () => engine.resume("r")));
  const handles = tries.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
  expect(new Set(handles).size).toBe(1);
  expect(await handles[0]!.output()).toEqual({ n: 3 });
  expect(countsOf(bodies)).toEqual({ "flow/long": 1 });
  expect(tries.filter(({ status }) => status === "rejected")).toEqual([]);
});

test("P3.11 R17 an op in flight at the crash that reads a cell which was pushed to meanwhile sees what it saw originally", async () => {
  const seen: string[][] = [];
  let hangs = true;
  const notes = cell("notes", append<string>());
  const say = op("say", ({ text }: { text: string }) => ({ text }));
  const look = op("look", async ({ all }: { all: string[] }) => {
    seen.push([...all]);
    if (hangs) await forever();
    return { count: all.length };
  });
  const flow = graph("flow", () => {
    const early = push(notes, say({ text: "early" }).text);
    const all = read(notes, { after: [early] });
    const late = push(notes, say({ text: "late" }, { name: "later", after: [all] }).text);
    return { count: look({ all }).count, all: read(notes, { after: [late] }) };
  });
  const store = memory();
  const first = await open({ backend: store });
  const handle = await first.start(flow, undefined, { id: "r" });
  for await (const event of handle.stream("tasks")) if (event.node === "later" && event.task === "finished") break;
  expect(seen).toEqual([["early"]]);
  await store.abandon();
  hangs = false;
  const second = await open({ backend: store.another(), graphs: [flow] });
  expect(await second.recovered[0]?.output()).toEqual({ count: 1, all: ["early", "late"] });
  expect(seen).toEqual([["early"], ["early"]]);
});
