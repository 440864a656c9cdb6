import { expect, test } from "vitest";
import { collect, each, final, graph, memory, op, type Finishing, type Ref, type Run } from "../../src/index.ts";
import { crashEverywhere, open } from "./support/engines.ts";

const read = op("read", async function* ({ rows }: { rows: readonly number[] }) {
  let skipped = 0;
  for (const row of rows) {
    if (row < 0) skipped++;
    else yield { row };
  }
  return { skipped, of: rows.length };
});
const note = op("note", ({ row, of }: { row: number; of: number }) => ({ text: `${row} of ${of}` }));
const report = graph("report", (input: Ref<{ rows: number[] }>) => {
  const item = read({ rows: input.rows });
  const end = final(item);
  return { rows: item.row, skipped: end.skipped, whole: end };
});

test("final(gen) is what a generator returned after its items, also after a crash behind any record", async () => {
  const output = { rows: [1, 2], skipped: 1, whole: { skipped: 1, of: 3 } };
  const { result, recording } = await crashEverywhere(report, { rows: [1, -1, 2] }, ({ result: after }) => {
    expect(after).toMatchObject({ status: "completed", output });
  });
  expect(result).toMatchObject({ status: "completed", output });
  expect(recording.records.find(([kind]) => kind === 3)?.[3]).toEqual({ skipped: 1, of: 3 });
});

test("final lives where the call lives: once per item of an outer stream, and inner items of another pass may read it", async () => {
  const engine = await open({ backend: memory() });
  const nested = graph("nested", (input: Ref<{ files: { rows: number[] }[] }>) => {
    const item = read({ rows: each(input.files).rows });
    const { of } = final(item);
    const again = each(collect(item.row));
    return { of: collect(of), texts: collect(collect(note({ row: again, of }).text)) };
  });
  expect(await engine.run(nested, { files: [{ rows: [5] }, { rows: [] }, { rows: [7, -1, 8] }] })).toEqual({
    of: [1, 0, 3],
    texts: [["5 of 1"], [], ["7 of 3", "8 of 3"]],
  });
});

test("without items, in a sync generator, and over a subgraph's border final is there all the same", async () => {
  const engine = await open();
  const count = op("count", function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) yield { i };
    return `${n} in all`;
  });
  const inner = graph("inner", (input: Ref<{ n: number }>) => {
    const item = count({ n: input.n });
    return { i: item.i, said: final(item) };
  });
  const outer = graph("outer", (input: Ref<{ n: number }>) => inner({ n: input.n }));
  expect(await engine.run(outer, { n: 0 })).toEqual({ i: [], said: "0 in all" });
  expect(await engine.run(outer, { n: 2 })).toEqual({ i: [0, 1], said: "2 in all" });
});

test("a generator that fails fails what reads its return value, and one whose return value cannot be kept has failed", async () => {
  const engine = await open({ backend: memory() });
  const breaks = op("breaks", async function* () {
    yield { k: 1 };
    if (Date.now() > 0) throw new Error("half way");
    return { n: 1 };
  });
  const use = op("use", ({ n }: { n: number }) => ({ n }));
  const flow = graph("flow", () => ({ n: use({ n: final(breaks({})).n }).n }));
  expect(await (await engine.start(flow, {})).result()).toMatchObject({
    status: "failed",
    errors: [{ node: "breaks", message: "half way" }],
  });
  const keeps = op("keeps", async function* () {
    yield { k: 1 };
    return { close: () => undefined };
  });
  expect(await (await engine.start(keeps, {})).result()).toMatchObject({
    status: "failed",
    errors: [{ node: "keeps", code: "Unencodable", message: expect.stringContaining("return value.close: function") }],
  });
});

test("a stream whose items wait for their own end, and a final of something else, are refused at build", () => {
  expect(() =>
    graph("blocks", (input: Ref<{ rows: number[] }>) => {
      const item = read({ rows: input.rows });
      return note({ row: item.row, of: final(item).of });
    }),
  ).toThrow(/needs that stream's end: the stream would block itself/);
  const anything = (make: (input: Ref<{ rows: number[] }>) => unknown) => () =>
    graph("wrong", (input: Ref<{ rows: number[] }>) => ({ x: final(make(input) as Finishing<number, Run>) }));
  expect(anything((input) => each(input.rows))).toThrow(/input\.rows.* is not the result of calling a generator op/);
  expect(anything((input) => read({ rows: input.rows }).row)).toThrow(/read\.row is not the result/);
  expect(anything(() => 7)).toThrow(/what final\(\) was given is not the result/);
  expect(() => final({} as Finishing<number, Run>)).toThrow(/outside of a graph/);
});
