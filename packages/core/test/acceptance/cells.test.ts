import { expect, test } from "vitest";
import {
  add,
  append,
  cell,
  collect,
  derive,
  each,
  graph,
  last,
  memory,
  merge,
  op,
  push,
  read,
  type Ref,
} from "../../src/index.ts";
import { gate } from "./support/gate.ts";
import { crashEverywhere, open } from "./support/engines.ts";

const produce = op("produce", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const split = op("split", async ({ k }: { k: number }) => ({ row: `row ${k}`, delta: k }));

const list = cell("list", append<number>());
const table = cell("table", merge<Record<string, number>>());
const twoOutputs = graph("twoOutputs", (input: Ref<{ n: number }>) => {
  const s = split({ k: produce({ n: input.n }).k }, { parallel: 3 });
  const listed = push(list, s.delta);
  const tabled = push(
    table,
    derive(s.delta, (d) => ({ [`d${d}`]: d })),
  );
  return { rows: collect(s.row), list: read(list, { after: [listed] }), table: read(table, { after: [tabled] }) };
});

test("F01 a cell fed beside a collect of another output holds each update exactly once, for list and object reducers", async () => {
  const engine = await open();
  const handle = await engine.start(twoOutputs, { n: 6 });
  const result = await handle.result();
  expect(result).toEqual({
    status: "completed",
    output: {
      rows: ["row 0", "row 1", "row 2", "row 3", "row 4", "row 5"],
      list: [0, 1, 2, 3, 4, 5],
      table: { d0: 0, d1: 1, d2: 2, d3: 3, d4: 4, d5: 5 },
    },
    errors: [],
    cells: { list: [0, 1, 2, 3, 4, 5], table: { d0: 0, d1: 1, d2: 2, d3: 3, d4: 4, d5: 5 } },
  });
});

test("F01 the same holds after a crash behind any record", async () => {
  const { recording } = await crashEverywhere(twoOutputs, { n: 5 }, ({ cut, result }, { result: whole }) => {
    expect(result, `crashed behind record ${cut}`).toEqual(whole);
  });
  expect(recording.records.length).toBeGreaterThan(12);
});

test("F01 a reducer that throws is reported once per update and leaves the other updates in the cell", async () => {
  const picky = cell("picky", {
    init: [] as number[],
    reduce: (kept: number[], n: number) => {
      if (n === 2) throw new RangeError("not two");
      return [...kept, n];
    },
  });
  const choosy = graph("choosy", (input: Ref<{ n: number }>) => {
    const s = split({ k: produce({ n: input.n }).k });
    const pushed = push(picky, s.delta);
    return { rows: collect(s.row), kept: read(picky, { after: [pushed] }) };
  });
  const engine = await open();
  const result = await (await engine.start(choosy, { n: 4 })).result();
  expect(result).toMatchObject({
    status: "completed",
    output: { rows: ["row 0", "row 1", "row 2", "row 3"], kept: [0, 1, 3] },
  });
  expect(result.errors).toMatchObject([
    {
      node: "split",
      path: "choosy/produce[2]/split",
      code: "ReducerFailed",
      type: "RangeError",
      message: "not two",
      count: 1,
    },
  ]);
});

test("F24 inputs named id, name, start, stream and inputs arrive as given, in ops, graphs and subgraphs, without a warning", async () => {
  type Odd = { id: string; name: string; start: number; stream: string[]; inputs: { length: number } };
  const odd = op("odd", async (input: Odd) => ({ ...input, id: `${input.id}!` }));
  const inner = graph("inner", (input: Ref<Odd>) => odd(input));
  const outer = graph("outer", (input: Ref<Odd>) => {
    const o = odd({ id: input.id, name: input.name, start: input.start, stream: input.stream, inputs: input.inputs });
    const i = inner({ id: o.id, name: input.name, start: input.start, stream: input.stream, inputs: input.inputs });
    return { id: i.id, name: i.name, start: i.start, stream: i.stream, inputs: i.inputs.length };
  });
  const warnings: string[] = [];
  const engine = await open({ warn: (text) => warnings.push(text) });
  const output = await engine.run(outer, { id: "a", name: "b", start: 3, stream: ["c", "d"], inputs: { length: 9 } });
  expect(output).toEqual({ id: "a!!", name: "b", start: 3, stream: ["c", "d"], inputs: 9 });
  expect(warnings).toEqual([]);
  expect(outer.plan.findings).toEqual([]);
});

const spent = cell("spent", add());
const seen = cell("seen", append<string>());
const untouched = cell("untouched", last<string>("nothing yet"));

test("F23 result().cells holds every reduced cell, also after a crash behind any record", async () => {
  const bill = op("bill", async ({ k }: { k: number }) => ({ cents: k * 10, name: `item ${k}` }));
  const billing = graph("billing", (input: Ref<{ ks: number[] }>) => {
    const { cents, name } = bill({ k: each(input.ks) });
    push(spent, cents);
    push(seen, name);
    return { all: collect(name), left: read(untouched, { after: [] }) };
  });
  const cells = { spent: 60, seen: ["item 1", "item 2", "item 3"], untouched: "nothing yet" };
  const { result } = await crashEverywhere(billing, { ks: [1, 2, 3] }, ({ result: after }) => {
    expect(after).toMatchObject({ status: "completed", cells });
  });
  expect(result).toMatchObject({ status: "completed", cells });
});

test("F23 a run that fails, is cancelled or drained says what its cells held, and so does the stream of one that ended", async () => {
  const door = gate();
  const fails = op("fails", async ({ fail }: { fail: boolean }) => {
    await door.opened;
    if (fail) throw new Error("no");
    return {};
  });
  const done = op("done", async () => ({}));
  const half = graph("half", (input: Ref<{ fail: boolean }>) => {
    const folded = push(spent, 5);
    const x = fails({ fail: input.fail }, { after: [folded] });
    return { x: done({}, { after: [x] }) };
  });
  const engine = await open({ backend: memory(), graphs: [half] });
  const start = (fail: boolean, id: string) => engine.start(half, { fail }, { id });
  const [failing, cancelled, drained] = await Promise.all([start(true, "f"), start(false, "c"), start(false, "d")]);
  expect(await cancelled.cancel()).toMatchObject({ status: "cancelled", cells: { spent: 5 } });
  const draining = drained.drain();
  door.open();
  expect(await draining).toMatchObject({ status: "drained", cells: { spent: 5 } });
  expect(await failing.result()).toMatchObject({ status: "failed", cells: { spent: 5 } });
  const events: unknown[] = [];
  for await (const event of await engine.stream("f", "output")) events.push(event);
  expect(events.at(-1)).toMatchObject({ result: { status: "failed", cells: { spent: 5 } } });
});

test("a push takes a structure with refs in it, per item of the innermost, also after a crash behind any record", async () => {
  const letters = cell("letters", append<{ line: string; why: string; at: { file: string; n: number } }>());
  const readFile = op("readFile", async ({ file }: { file: string }) => ({ lines: [`${file} a`, `${file} b`] }));
  const lost = graph("lost", (input: Ref<{ file: string; why: string }>) => {
    const line = each(readFile({ file: input.file }).lines);
    const pushed = push(letters, { line, why: input.why, at: { file: input.file, n: 1 } }, { ordered: true });
    return { all: read(letters, { after: [pushed] }) };
  });
  const all = ["f a", "f b"].map((line) => ({ line, why: "no", at: { file: "f", n: 1 } }));
  const { result } = await crashEverywhere(lost, { file: "f", why: "no" }, ({ cut, result: after }) =>
    expect({ cut, after }).toMatchObject({ cut, after: { status: "completed", output: { all } } }),
  );
  expect(result).toMatchObject({ status: "completed", output: { all }, cells: { letters: all } });
});
