import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, each, graph, memory, op, type Backend, type Ref } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { countUp } from "./programs/count-up.ts";
import { Child } from "./support/child.ts";
import { VirtualClock } from "./support/clock.ts";
import { open, undisturbed } from "./support/engines.ts";
import { countsOf, Effects, effects, folder } from "./support/files.ts";
import { gate, type Gate } from "./support/gate.ts";

/** A chain and a stream whose bodies wait at a door while there is one. */
function flowWith(ran: string[], door: () => Gate | undefined) {
  const first = op("first", async ({ n }: { n: number }, ctx) => {
    ran.push(`${ctx.path} began`);
    await door()?.opened;
    ran.push(`${ctx.path} ended`);
    return { n: n + 1 };
  });
  const second = op("second", async ({ n }: { n: number }, ctx) => {
    ran.push(`${ctx.path} began`);
    return { n: n * 10 };
  });
  const source = op("source", async function* (_input: { n: number }, ctx) {
    for (let k = 0; k < 5; k++) {
      ran.push(`${ctx.path} yields ${k}`);
      yield { k };
    }
  });
  return graph("flow", (input: Ref<{ n: number }>) => {
    const one = second({ n: first({ n: input.n }).n }).n;
    const item = first({ n: source({ n: input.n }).k }, { name: "perItem", buffer: 2 });
    return { one, items: collect(second({ n: item.n }, { name: "then" }).n) };
  });
}

const expected = { one: 20, items: [10, 20, 30, 40, 50] };

async function drainHalfWay(backend: Backend | undefined) {
  const ran: string[] = [];
  const door = gate();
  let closed = true;
  const flow = flowWith(ran, () => (closed ? door : undefined));
  const engine = await open({ ...(backend === undefined ? {} : { backend }), graphs: [flow] });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const draining = Promise.all([engine.drain("r"), handle.result()]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const before = [...ran];
  closed = false;
  door.open();
  const [, result] = await draining;
  return { engine, flow, ran, before, result };
}

/** Everything that bodies did, and how often; a generator that runs again yields again. */
function repeated(ran: readonly string[]): string[] {
  return Object.entries(countsOf(ran)).flatMap(([line, count]) =>
    count === 1 || line.includes("yields") ? [] : [line],
  );
}

test("R09 drain on memory: nothing new starts, bodies in flight finish, and resume gives the undisturbed result", async () => {
  const { engine, ran, before, result } = await drainHalfWay(memory());
  expect(result).toEqual({ status: "drained", errors: [], cells: {} });
  expect(ran.slice(before.length).toSorted()).toEqual(["flow/first ended", "flow/source[0]/perItem ended"]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(ran).toHaveLength(before.length + 2);
  expect(await engine.get("r")).toMatchObject({ status: "drained", owner: null });
  const resumed = await engine.resume("r");
  expect(await resumed.output()).toEqual(expected);
  expect(repeated(ran)).toEqual([]);
  expect(await engine.get("r")).toMatchObject({ status: "completed", output: expected });
});

test("R09 drain without a backend: the run waits in this process and goes on from where it stood", async () => {
  const { engine, ran, before, result } = await drainHalfWay(undefined);
  expect(result).toEqual({ status: "drained", errors: [], cells: {} });
  expect(ran.slice(before.length).toSorted()).toEqual(["flow/first ended", "flow/source[0]/perItem ended"]);
  expect(await (await engine.resume("r")).output()).toEqual(expected);
  expect(new Set(ran).size).toBe(ran.length);
});

test("R09 drained on SQLite and resumed by a new engine, the run gives the undisturbed result and nothing runs twice", async () => {
  const file = join(folder(), "runs.db");
  const { engine, ran, flow, result } = await drainHalfWay(sqlite(file));
  expect(result.status).toBe("drained");
  await engine.close();
  const next = await open({ backend: sqlite(file), graphs: [flow] });
  expect(next.recovered).toEqual([]);
  expect(await next.list({ status: ["drained"] })).toMatchObject([{ id: "r", status: "drained" }]);
  const handle = await next.resume("r");
  expect(await handle.result()).toEqual(
    (
      await undisturbed(
        flowWith([], () => undefined),
        { n: 1 },
      )
    ).result,
  );
  expect(repeated(ran)).toEqual([]);
});

test("R09 a child process drains at SIGTERM and exits by itself; this process resumes and gets the uninterrupted result", async () => {
  const path = folder();
  const effectFile = join(path, "effects.txt");
  const file = join(path, "runs.db");
  const child = new Child("count-up", [file, effectFile, "60", "10"]);
  await child.until("item 4 ");
  child.process.kill("SIGTERM");
  expect(await child.exit()).toBe(0);
  expect(child.stdout).toContain("status drained");
  const done = new Effects(effectFile).lines().length;
  expect(done).toBeLessThan(60);
  const flow = countUp(effectFile, 0, () => undefined);
  const engine = await open({ backend: sqlite(file), graphs: [flow] });
  const handle = await engine.resume("run");
  expect(await handle.output()).toEqual({ total: 1770, items: 60 });
  const counts = new Effects(effectFile).counts();
  expect(Object.keys(counts)).toHaveLength(60);
  expect(new Set(Object.values(counts))).toEqual(new Set([1]));
}, 60_000);

test("R09 drain stops a back-off without using an attempt, and the wait goes on from its due time after resume", async () => {
  const clock = new VirtualClock();
  const tries: string[] = [];
  const shaky = op(
    "shaky",
    { retry: { attempts: 2, initial: "10s", max: "10s", jitter: "none", on: () => true } },
    async ({ n }: { n: number }, ctx) => {
      tries.push(`${ctx.attempt} at ${clock.elapsed}`);
      if (ctx.attempt === 1) throw new Error("again");
      return { n };
    },
  );
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ n: shaky({ n: input.n }).n }));
  const engine = await open({ clock, backend: memory(), graphs: [flow] });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  await clock.advance(4_000);
  expect((await handle.drain()).status).toBe("drained");
  expect(clock.armed).toBe(0);
  await clock.advance(2_000);
  const resumed = await engine.resume("r");
  expect(await clock.until(resumed.result())).toMatchObject({ status: "completed", output: { n: 1 } });
  expect(tries).toEqual(["1 at 0", "2 at 10000"]);
});

test("R09 engine.drain() without an id drains every run of the engine, and draining a run that has ended changes nothing", async () => {
  const ran = effects();
  const slow = op("slow", async ({ n }: { n: number }) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    ran.add("body");
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({ all: collect(slow({ n: each(input.xs) }).n) }));
  const engine = await open({ backend: memory(), graphs: [flow] });
  const done = await engine.start(flow, { xs: [] });
  await done.result();
  const handles = await Promise.all([1, 2, 3].map(() => engine.start(flow, { xs: [1, 2, 3, 4] })));
  await engine.drain();
  for (const handle of handles) expect((await handle.result()).status).toBe("drained");
  expect(ran.lines()).toHaveLength(3);
  expect(await done.drain()).toMatchObject({ status: "completed" });
  const resumed = await Promise.all(handles.map(({ runId }) => engine.resume(runId)));
  for (const handle of resumed) expect(await handle.output()).toEqual({ all: [1, 2, 3, 4] });
  expect(ran.lines()).toHaveLength(12);
});

test("R09 a drained run can be cancelled, and drained again after a resume", async () => {
  const { engine } = await drainHalfWay(memory());
  expect(await engine.cancel("r", "no more")).toMatchObject({ status: "cancelled", reason: "no more" });
  expect(await engine.get("r")).toMatchObject({ status: "cancelled" });
  const other = await drainHalfWay(memory());
  const resumed = await other.engine.resume("r");
  await resumed.drain();
  expect(await (await other.engine.resume("r")).output()).toEqual(expected);
});
