/** What leaves one block together: streams that are read with one another, and values behind which cells are read. */
import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  fallback,
  filter,
  graph,
  loop,
  op,
  push,
  read,
  zip,
  type Ref,
} from "../../src/index.ts";
import { open } from "./support/engines.ts";

interface Input {
  readonly n: number;
}

const numbers = op("numbers", async function* ({ n }: Input) {
  for (let i = 0; i < n; i++) yield { i };
});
const others = op("others", async function* ({ n }: Input) {
  for (let i = 0; i < n; i++) yield { i };
});
const pass = op("pass", async ({ i }: { i: number }) => ({ i }));
const sum = op("sum", async ({ a, b }: { a: number; b: number }) => ({ s: a + b }));
const beside = op("beside", async ({ i, all }: { i: number; all: readonly number[] }) => ({ s: i + all.length }));
const slow = op("slow", async ({ n }: Input) => {
  await new Promise((done) => setTimeout(done, 40));
  return { x: `slow ${n}` };
});
const quick = op("quick", ({ n }: Input) => ({ x: n }));
const count = op("count", ({ v, said }: { v: number; said: readonly string[] }) => ({ n: said.length, v }));

test.each([1, 2, 4])(
  "two streams of one source that leave a block and are zipped do not stop at buffer %i",
  async (buffer) => {
    const flow = graph("flow", (input: Ref<Input>) => {
      const out = fallback(
        "block",
        () => {
          const { i } = pass({ i: numbers({ n: input.n }).i }, { buffer });
          return {
            even: filter(
              i,
              derive(i, (v) => v % 2 === 0),
            ),
            late: filter(
              i,
              derive(i, (v) => v >= 10),
            ),
          };
        },
        () => {
          const { i } = others({ n: 0 });
          return { even: i, late: i };
        },
      );
      const pair = zip({ a: out.even, b: out.late }, { name: "pairs", uneven: "stop" });
      return { all: collect(sum({ a: pair.a, b: pair.b }, { buffer }).s) };
    });
    const engine = await open();
    const expected = Array.from({ length: 15 }, (_, k) => 2 * k + 10 + k);
    expect(await engine.run(flow, { n: 30 })).toEqual({ all: expected });
  },
);

test("a stream that leaves a block and the list of it are not read together per item: the build says how", () => {
  const build = () =>
    graph("flow", (input: Ref<Input>) => {
      const out = fallback(
        "block",
        () => {
          const { i } = pass({ i: numbers({ n: input.n }).i }, { buffer: 1 });
          return { i, all: collect(i) };
        },
        () => {
          const { i } = others({ n: 0 });
          return { i, all: collect(i) };
        },
      );
      return { all: collect(beside({ i: out.i, all: out.all }, { buffer: 1 }).s) };
    });
  expect(build).toThrow(/needs the end of .* the stream would block itself/);
});

test("a cell that is read behind a value of a fallback has what its body pushed, though a stream left it before", async () => {
  const said = cell("said", append<string>());
  const flow = graph("flow", (input: Ref<Input>) => {
    const out = fallback(
      "block",
      () => {
        push(said, slow({ n: input.n }).x);
        return { v: quick({ n: input.n }).x, i: numbers({ n: input.n }).i };
      },
      () => ({ v: quick({ n: 0 }).x, i: others({ n: 0 }).i }),
    );
    return { n: count({ v: out.v, said: read(said, { after: [out.v] }) }).n, all: collect(out.i) };
  });
  const engine = await open();
  expect(await engine.run(flow, { n: 3 })).toEqual({ n: 1, all: [0, 1, 2] });
});

test("nor does a loop let a value go before all of its iterations pushed; per item of its stream it cannot be told", async () => {
  const said = cell("said", append<string>());
  const turns = (input: Ref<Input>) =>
    loop("turns", { max: 3 }, { k: 0 }, ({ k }) => {
      push(said, slow({ n: input.n }).x);
      const next = derive(k, (v) => v + 1);
      return { next: { k: next }, until: derive(k, (v) => v >= 1), result: { v: k, i: numbers({ n: input.n }).i } };
    });
  const flow = graph("flow", (input: Ref<Input>) => {
    const out = turns(input);
    return { n: count({ v: out.v, said: read(said, { after: [out.v] }) }).n, all: collect(out.i) };
  });
  const engine = await open();
  expect(await engine.run(flow, { n: 2 })).toEqual({ n: 2, all: [0, 1, 0, 1] });
  const early = () =>
    graph("early", (input: Ref<Input>) => {
      const out = turns(input);
      return { n: collect(count({ v: out.i, said: read(said, { after: [out.i] }) }).n) };
    });
  expect(early).toThrow(/the stream would block itself|may come before the push/);
});
