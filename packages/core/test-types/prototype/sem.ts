// oxlint-disable eslint/no-unused-vars -- here the declarations are the assertions
// The prototype's further checks: streams out of arms, whole refs as results, ops as parameters, schemas of graphs.
import { z } from "zod";
import {
  collect,
  graph,
  op,
  present,
  reduce,
  route,
  type Item,
  type Op,
  type Ref,
  type Runnable,
  type Stream,
} from "../../src/index.ts";
import { check, type Equal, type OutputOf } from "../equal.ts";

const gen = op("gen", async function* (i: { x: string }) {
  yield { tok: i.x };
});
const need = op("need", async (i: { x: string }) => ({ y: i.x, n: 1 as number | undefined }));
export const arms = graph("arms", (input: Ref<{ kind: "a" | "b"; x: string }>) => {
  const s = route("k", input.kind, { a: () => gen({ x: input.x }), b: () => gen({ x: "b" }) }); // a stream leaves the arm
  const st: Ref<string, Item> = s.tok;
  const mixed = route("k2", input.kind, { a: () => gen({ x: input.x }), b: () => ({ tok: "one" }) }); // the build refuses it
  const mt: Ref<string, Item> = mixed.tok;
  const best = reduce("best", need({ x: s.tok }), { y: "" }, (a, i) => ({ y: a.y + i.y }));
  const only = present(need({ x: s.tok }).n);
  const on: Ref<number, Item> = only;
  return { text: collect(s.tok), best, nested: { deep: [s.tok, input.x] } };
});
check<Equal<OutputOf<typeof arms>["nested"], Stream<{ deep: string[] }>>>();
const lib = <M extends Runnable<{ x: string }, { y: string }>>(m: M): M => m;
lib(need);
const asParam = (name: string, model: Op<{ x: string }, { y: string; n: number | undefined }>) =>
  graph(name, (input: Ref<{ q: string }>) => ({ a: model({ x: input.q }).y }));
export const viaParam = asParam("p", need);
// a graph with a schema: what callers give, and what the body gets
export const sch = graph(
  "sch",
  { input: z.object({ n: z.coerce.number<string>(), k: z.number().default(3) }) },
  (input) => {
    const n: Ref<number> = input.n;
    return { n, k: input.k };
  },
);
export const call = graph("call", (input: Ref<{ s: string }>) => {
  const r = sch({ n: input.s });
  const k: Ref<number> = r.k;
  // @ts-expect-error the schema takes a string here
  sch({ n: 3 });
  // @ts-expect-error keys of a graph call are checked
  sch({ n: input.s, kk: 3 });
  return r;
});
check<Equal<OutputOf<typeof call>, { n: number; k: number }>>();
const items = op("items", { output: z.object({ n: z.number() }) }, async function* (_i: { upTo: number }) {
  yield { n: 1 };
});
export const itemsOf = graph("itemsOf", (input: Ref<{ upTo: number }>) => {
  const n: Ref<number, Item> = items({ upTo: input.upTo }).n;
  return { n };
});
