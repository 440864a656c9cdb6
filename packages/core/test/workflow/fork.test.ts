import { beforeEach, expect, test } from "vitest";
import { memory, op, workflow, type Engine, type ForkOptions, type RunResult } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

let began: string[] = [];
let broken = true;
const one = op("one", async ({ n }: { n: number; id?: string }) => {
  began.push(`one ${n}`);
  return { n: n + 1 };
});
const slow = op("slow", async ({ n }: { n: number }) => {
  began.push(`slow ${n}`);
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve));
  return { n: n + 10 };
});
const shaky = op("shaky", async ({ n }: { n: number }) => {
  began.push(`shaky ${n}`);
  if (broken) throw new Error("broken");
  return { n: n + 100 };
});
const inner = workflow("inner", { uses: [one, shaky] }, async (w, { n }: { n: number }) =>
  w.run(shaky, await w.run(one, { n, id: w.uuid() })),
);
/** The slow one comes back behind what the others led to: calls 0 and 1 at once, 2 behind 1, 3 behind both. */
const flow = workflow("flow", { uses: [one, slow, inner] }, async (w, { n }: { n: number }) => {
  const quick = async (): Promise<{ n: number }> => w.run(one, await w.run(one, { n, id: w.uuid() }));
  const [a, b] = await Promise.all([w.run(slow, { n }), quick()]);
  const c = await w.run(one, { n: a.n + b.n });
  return { n: (await w.run(inner, c)).n };
});

async function failed(): Promise<Engine> {
  const engine = await open({ backend: memory(), graphs: [flow], check: checkInvariants });
  const handle = await engine.start(flow, { n: 1 }, { id: "run" });
  expect(await handle.result()).toMatchObject({ status: "failed" });
  expect(began.splice(0)).toEqual(["slow 1", "one 1", "one 2", "one 14", "one 15", "shaky 16"]);
  broken = false;
  return engine;
}

async function forked(engine: Engine, options: ForkOptions): Promise<RunResult<unknown>> {
  return (await engine.fork("run", options)).result();
}

beforeEach(() => {
  began = [];
  broken = true;
});

test("a call that failed is tried again, and nothing that came before it", async () => {
  const engine = await failed();
  const result = await forked(engine, { rerun: ["flow/body[4]/inner/body[1]/inner/shaky"] });
  expect(result).toMatchObject({ status: "completed", output: { n: 116 } });
  expect(began).toEqual(["shaky 16"]);
});

test("a workflow that failed goes on behind its calls, with those that it failed by", async () => {
  const engine = await failed();
  expect(await forked(engine, { rerun: ["body"] })).toMatchObject({ status: "completed", output: { n: 116 } });
  expect(began).toEqual(["shaky 16"]);
});

test("what a call is given to have come to changes what was called behind it, and nothing beside it", async () => {
  const engine = await failed();
  const result = await forked(engine, { patch: { outputs: { "flow/body[1]/one": { n: 5 } } } });
  expect(result).toMatchObject({ status: "completed", output: { n: 119 } });
  expect(began).toEqual(["one 5", "one 17", "one 18", "shaky 19"]);
});

test("the last thing that a body was told before it went on is a place to go on from", async () => {
  const engine = await failed();
  const result = await forked(engine, { patch: { outputs: { "flow/body[3]/one": { n: 0 } } } });
  expect(result).toMatchObject({ status: "completed", output: { n: 101 } });
  expect(began).toEqual(["one 0", "shaky 1"]);
});

test("behind any record, it makes the calls that are kept again, in the order in which it had been told", async () => {
  const engine = await failed();
  const last = (await engine.get("run"))!.lastSeq;
  for (let at = 2; at < last - 3; at++) {
    const result = await forked(engine, { at });
    expect([at, result]).toMatchObject([at, { status: "completed", output: { n: 116 } }]);
  }
});

test("another input is another run", async () => {
  const engine = await failed();
  expect(await forked(engine, { patch: { input: { n: 2 } } })).toMatchObject({ output: { n: 118 } });
  expect(began.toSorted()).toEqual(["one 16", "one 17", "one 2", "one 3", "shaky 18", "slow 2"]);
});

test("random values that were drawn for calls that are kept stay, and those behind them are its own", async () => {
  const draws = workflow("draws", { uses: [one] }, async (w, _input: {}) => {
    const ids = [w.uuid()];
    await w.run(one, { n: 1, id: ids[0]! });
    ids.push(w.uuid());
    await w.run(one, { n: 2, id: ids[1]! });
    ids.push(w.uuid(), String(w.random()));
    await w.run(one, { n: 3, id: ids[2]! });
    return ids;
  });
  const backend = memory();
  const engine = await open({ backend, graphs: [draws], check: checkInvariants });
  const first = await (await engine.start(draws, {}, { id: "run" })).result();
  const second = await (
    await engine.fork("run", { patch: { outputs: { "draws/body[1]/one": { n: 9 } } }, id: "second" })
  ).result();
  const third = await (await engine.fork("second", { rerun: ["draws/body[2]/one"], id: "third" })).result();
  const ids = [first, second, third].map((result) => (result as unknown as { output: string[] }).output);
  const same = (a: number, b: number): boolean[] => ids[a]!.map((id, i) => id === ids[b]![i]);
  expect([same(0, 1), same(1, 2)]).toEqual([
    [true, true, false, false],
    [true, true, true, true],
  ]);
});
