// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// Mistakes that do not compile (DESIGN §2), and their neighbours that do.
import { z } from "zod";
import {
  op,
  graph,
  each,
  collect,
  reduce,
  filter,
  present,
  cell,
  push,
  read,
  append,
  add,
  last,
  derive,
  text,
  orElse,
  type Item,
  type Item2,
  type Ref,
} from "../src/index.ts";

const list = op("list", async (_i: { n: number }) => ({ xs: ["a"], flag: true as boolean, kind: "a" as "a" | "b" }));
const one = op("one", async (_i: { x: string; k?: number }) => ({ y: 1, good: true as boolean, t: "t" }));
const many = op("many", async (_i: { xs: string[] }) => ({ y: 1 }));
const strict = op("strict", { input: z.object({ n: z.number() }), output: z.object({ v: z.number() }) }, async (i) => ({
  v: i.n,
}));
const log = cell("l", append<string>());
const total = cell("total", add());
const gen = op("gen", async function* (i: { x: string }) {
  yield { tok: i.x };
});

export const negative = graph(
  "negative",
  (input: Ref<{ a: string; n: number; dict: Record<string, string>; opt?: string; xs: string[] }>) => {
    const l = list({ n: 1 });
    const x = each(l.xs);
    const o = one({ x });

    // keys and types of inputs and outputs
    // @ts-expect-error misspelt output
    o.yy;
    // @ts-expect-error misspelt graph input
    input.aa;
    // @ts-expect-error wrong type
    one({ x: input.n });
    // @ts-expect-error unknown key
    one({ x: "a", z: 1 });
    // @ts-expect-error missing key
    one({});
    // @ts-expect-error optional into required
    one({ x: input.opt });
    one({ x: orElse(input.opt, "none") });
    one({ x: "a", k: undefined });
    // @ts-expect-error a schema's input type is what callers give
    strict({ n: "1" });
    strict({ n: input.n });

    // streams
    // @ts-expect-error missing each
    one({ x: l.xs });
    // @ts-expect-error missing collect
    many({ xs: o.t });
    many({ xs: collect(o.t) });
    // @ts-expect-error each of what is no list
    each(input.n);
    // @ts-expect-error collect of a value
    collect(l.flag);
    // @ts-expect-error reduce of a value
    reduce("r", l.flag, 0, (n) => n);
    // @ts-expect-error filter of a value
    filter(l.flag, l.flag);
    // @ts-expect-error present of a value
    present(input.opt);
    // @ts-expect-error filter condition that is no boolean
    filter(o, o.y);
    filter(o, l.flag);
    // @ts-expect-error filter condition deeper than the item
    filter(o, one({ x: each(list({ n: o.y }).xs) }).good);
    const nest = each(list({ n: o.y }).xs);
    const nested: Ref<string, Item2> = nest;
    const back: Ref<string[], Item> = collect(nest);
    const array = many({ xs: [input.a, "lit", x] });
    const perItem: Ref<{ y: number }, Item> = array;
    // @ts-expect-error an array with an item ref is per item
    const once: Ref<{ y: number }> = array;
    // @ts-expect-error a deeper stream needs collect twice
    const shallow: Ref<string[]> = collect(nest);
    const deep: Ref<string[][]> = collect(collect(nest));

    // options
    // @ts-expect-error parallel on a call that runs once
    one({ x: "a" }, { parallel: 8 });
    // @ts-expect-error buffer on a call that runs once
    one({ x: "a" }, { buffer: 8 });
    // @ts-expect-error ordered on a call that runs once
    one({ x: "a" }, { ordered: true });
    // @ts-expect-error onFull on a call that runs once
    one({ x: "a" }, { onFull: "dropOldest" });
    one({ x }, { parallel: 8, buffer: 2, ordered: true, onFull: "dropOldest" });
    // @ts-expect-error unknown option
    one({ x }, { paralel: 8 });
    // @ts-expect-error a duration needs a unit that exists
    one({ x }, { timeout: { run: "30 seconds" } });
    one({ x }, { timeout: { run: "30s", idle: 200 }, retry: false, onFailure: "raise" });
    // `after` may name refs of a deeper scope: it waits for that stream to end
    one({ x: "a" }, { after: [o] });
    // @ts-expect-error after names refs
    one({ x: "a" }, { after: ["o"] });

    // cells
    // @ts-expect-error read of a cell needs an order
    read(log);
    // @ts-expect-error wrong update
    push(log, input.n);
    // @ts-expect-error wrong update
    push(total, "x");
    push(total, o.y);
    const sum: Ref<number> = read(total, { after: [] });
    const sofar: Ref<number, Item> = read(total, { after: [], at: o });
    const alone: Ref<number, Item> = read(total, { at: o });
    // @ts-expect-error neither when nor at what
    read(total, {});
    // @ts-expect-error a race is no time
    read(total, { allowRace: true });
    // @ts-expect-error a fold keeps its type
    reduce("s", o.y, 0, (a, y) => String(a + y));

    // text takes text and numbers
    text`${input.a} ${input.n} ${3} ${o.good}`;
    // @ts-expect-error text of an object
    text`${o}`;
    // @ts-expect-error text of an optional value
    text`${input.opt}`;

    // refs are not values
    // @ts-expect-error arithmetic
    input.n + 1;
    // @ts-expect-error methods
    input.a.toUpperCase();
    // @ts-expect-error iteration
    for (const item of input.xs) item;
    // @ts-expect-error assignment
    input.a = derive(input.a, (a) => a);
    return {};
  },
);

// @ts-expect-error output schema mismatch
op("s2", { input: z.object({ n: z.number() }), output: z.object({ v: z.number() }) }, async (i) => ({
  v: String(i.n),
}));
// @ts-expect-error not an option
op("s3", { retries: 3 }, async (_i: { x: string }) => ({}));
op("s4", { cache: { ttl: "1h", key: (i: { x: string }) => i.x } }, async (_i: { x: string }) => ({}));
// @ts-expect-error a cache says how long its outputs are good
op("s4a", { cache: { max: 3 } }, async (_i: { x: string }) => ({}));
// @ts-expect-error not an effect
op("s5", { effect: "safe" }, async (_i: { x: string }) => ({}));
// @ts-expect-error a reducer has an initial value
cell("c", { reduce: (a: number, u: number) => a + u });
const custom = cell("c2", { init: 0, reduce: (a: number, u: string) => a + u.length });
const lastOne = cell("c3", last<"open" | "done">("open"));
export const cells = graph("cells", (input: Ref<{ s: string; g: string }>) => {
  const a = push(custom, input.s);
  // @ts-expect-error wrong update
  push(lastOne, "closed");
  const value: Ref<number> = read(custom, { after: [a] });
  const g = gen({ x: input.g });
  // @ts-expect-error a stream is not a value
  const text1: Ref<string> = g.tok;
  return { value };
});

// sync, async, generator, async generator
op("sync", (i: { x: string }) => ({ y: i.x }));
const streamed = op("streamed", { stream: true }, (i: { n: number }) => numbers(i.n));
function* numbers(n: number) {
  yield { n };
}
export const kinds = graph("kinds", (input: Ref<{ n: number }>) => {
  const item: Ref<number, Item> = streamed({ n: input.n }).n;
  return { all: collect(item) };
});
export const raw: Promise<{ y: number }> | { y: number } = one.fn({ x: "a" });
for await (const item of gen.fn({ x: "a" })) check(item.tok);
function check(_i: string): void {}
// @ts-expect-error the body's input is checked
void one.fn({ y: 1 });
