// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// What the prototype's workflows give, exactly, and the mistakes that must not compile.
import { z } from "zod";
import {
  append,
  cell,
  collect,
  derive,
  each,
  filter,
  graph,
  loop,
  match,
  op,
  push,
  read,
  route,
  when,
  type Engine,
  type Item,
  type Item2,
  type Ref,
  type RunStream,
  type Settled,
  type Stream,
} from "../../src/index.ts";
import * as f from "../../test/acceptance/prototype/flows.ts";
import type * as library from "../../test/acceptance/prototype/library.ts";
import type { Msg } from "../../test/acceptance/prototype/messages.ts";
import { check, type Equal, type OutputOf } from "../equal.ts";

check<Equal<OutputOf<typeof f.support>, { id: string | undefined; note: string | undefined }>>();
check<
  Equal<OutputOf<typeof f.rag>, { answer: string; model: "big" | "small"; degraded: boolean; top: string | undefined }>
>();
check<Equal<OutputOf<typeof f.nightly>, { rows: Settled<{ path: string; chunks: number }>[] }>>();
check<Equal<OutputOf<typeof f.voice>, { ms: Stream<Stream<number>>; said: string[][]; call: string }>>();
check<Equal<OutputOf<typeof f.agent>, { answer: string | undefined; messages: Msg[] }>>();
check<Equal<OutputOf<typeof f.digest>, { text: string }>>();
check<Equal<OutputOf<typeof f.research>, { text: string }>>();
check<Equal<OutputOf<typeof f.etl>, { total: number; rows: string[] }>>();
check<Equal<OutputOf<typeof f.order>, { tracking: string }>>();
check<Equal<OutputOf<typeof f.form>, { email: string; tries: number; status: "open" | "done" }>>();
check<Equal<OutputOf<typeof f.callCenter>, { longest: number[] }>>();
check<
  Equal<
    OutputOf<typeof f.evaluate>,
    { mean: number; rows: Settled<{ q: string; score: number; verdict: "pass" | "fail" }>[]; log: string[] }
  >
>();
check<Equal<OutputOf<typeof f.stepper>, { message: Msg } | { answer: string }>>();
check<Equal<OutputOf<ReturnType<typeof f.dynamic>>, { all: { [k: string]: string } }>>();
check<
  Equal<
    OutputOf<typeof library.both>,
    { fast: string; deep: string; heading: string; j: { score: number; verdict: "pass" | "fail" } }
  >
>();

declare const engine: Engine;
const r1 = await engine.run(f.support, { ticket: "t", from: "x" });
check<Equal<typeof r1, { id: string | undefined; note: string | undefined }>>();
const r4 = await engine.run(f.voice, { call: "x" });
check<Equal<typeof r4, { ms: number[][]; said: string[][]; call: string }>>();
const items = (await engine.start(f.voice, { call: "x" })).items("ms");
check<Equal<typeof items, RunStream<number[]>>>();

declare const stepRef: () => Ref<f.Next>;
const list = op("list", async (_i: { n: number }) => ({
  xs: ["a"],
  flag: true as boolean,
  kind: "a" as "a" | "b",
}));
const one = op("one", async (_i: { x: string; k?: number }) => ({ y: 1, good: true as boolean, t: "t" }));
const many = op("many", async (_i: { xs: string[] }) => ({ y: 1 }));
const log = cell("l", append<string>());
graph("neg", (input: Ref<{ a: string; n: number; dict: Record<string, string>; opt?: string }>) => {
  const l = list({ n: 1 });
  const x = each(l.xs);
  const o = one({ x });
  // @ts-expect-error misspelt output
  o.yy;
  // @ts-expect-error wrong type
  one({ x: input.n });
  // @ts-expect-error missing each
  one({ x: l.xs });
  // @ts-expect-error missing collect
  many({ xs: o.t });
  // @ts-expect-error unknown key
  one({ x: "a", z: 1 });
  // @ts-expect-error optional into required
  one({ x: input.opt });
  // @ts-expect-error collect of a value
  collect(l.flag);
  // @ts-expect-error parallel on a call that runs once
  one({ x: "a" }, { parallel: 8 });
  // `after` may name refs of a deeper scope: it waits for that stream to end
  one({ x: "a" }, { after: [o] });
  // @ts-expect-error route arm missing
  route("r", l.kind, { a: () => 1 });
  // @ts-expect-error route arm unknown
  route("r", l.kind, { a: () => 1, b: () => 2, c: () => 3 });
  // @ts-expect-error match arm missing
  match("m", stepRef(), "type", { tool: (s) => s.call });
  // @ts-expect-error non-boolean condition
  when("w", input.n, () => 1);
  // @ts-expect-error read of a cell needs an order
  read(log);
  // @ts-expect-error wrong push
  push(log, input.n);
  // @ts-expect-error loop next wrong type
  loop("l", { max: 3 }, { x: 1 }, (_s) => ({ next: { x: input.a }, until: l.flag }));
  // @ts-expect-error loop next misspelt
  loop("l", { max: 3 }, { x: 1 }, (s) => ({ next: { y: s.x }, until: l.flag }));
  // @ts-expect-error filter condition deeper than the item
  filter(o, one({ x: each(each(list({ n: o.y }).xs) as never) }).good);
  const m = when("w2", o.good, () => ({ t: "x" }));
  // @ts-expect-error skipped arm
  one({ x: m.t });
  const okItem: Ref<number | undefined, Item> = when("w3", o.good, () => 3);
  const withDefault = route("rd", input.a, { hello: () => 1 }, () => "z");
  const either: Ref<number | string> = withDefault;
  const inner = loop("il", { max: 3 }, { n: 0 }, (s) => ({
    next: { n: derive([s.n, o.y], ([a, b]) => a + b) },
    until: o.good,
  }));
  const perItem: Ref<{ n: number }, Item> = inner;
  const nest = each(list({ n: o.y }).xs);
  const nested: Ref<string, Item2> = nest;
  const back: Ref<string[], Item> = collect(nest);
  const array = many({ xs: [input.a, "lit", x] });
  const alsoPerItem: Ref<{ y: number }, Item> = array;
  // @ts-expect-error an array with an item ref is per item
  const once: Ref<{ y: number }> = array;
  // @ts-expect-error output schema mismatch
  op("s2", { input: z.object({ n: z.number() }), output: z.object({ v: z.number() }) }, async (i) => ({
    v: String(i.n),
  }));
  return {};
});
