// oxlint-disable eslint/no-unused-vars -- here the declarations are the assertions
// Data of every shape through inputs and fields, helpers that are generic in scope, ops as parameters, schemas.
import { z } from "zod";
import {
  op,
  graph,
  each,
  collect,
  derive,
  filter,
  text,
  orElse,
  present,
  reduce,
  type Item,
  type Item3,
  type Op,
  type Ref,
  type RefOf,
  type Runnable,
  type Scope,
} from "../src/index.ts";
import { check, type Equal, type OutputOf } from "./equal.ts";

type Json = string | number | boolean | null | Json[] | { [k: string]: Json };
const js = op("js", async (_i: { data: Json }) => ({
  out: null as Json,
  any: JSON.parse("1"),
  d: new Date(),
  m: new Map<string, number>(),
  u: new URL("http://x"),
}));
const need = op("need", async (i: { x: string; opt?: number }) => ({ y: i.x }));
class Foo {
  a = 1;
  #p = 2;
  get p(): number {
    return this.#p;
  }
}
const cls = op("cls", async (_i: { foo: Foo; any: unknown }) => ({ foo: new Foo() }));
interface Iface {
  a: string;
}
const ifc = op("ifc", async (_i: { v: Iface; r: readonly Iface[] }) => ({ ok: true as boolean }));

function polite<S extends Scope>(t: Ref<string, S>): Ref<string, S> {
  return need({ x: text`Dear ${t}` }).y as Ref<string, S>;
}
function polite2<S extends Scope>(t: Ref<string, S>) {
  return need({ x: t }).y;
}

export const g = graph("g", (input: Ref<{ xs: string[]; data: Json; maybe?: { deep: { v: string } | null } }>) => {
  const x = each(input.xs);
  const j = js({ data: { a: x, b: [1, x] } });
  const out: Ref<Json, Item> = j.out;
  js({ data: input.data }, { name: "whole" });
  const c = cls({ foo: new Foo(), any: new Foo() });
  const c2 = cls({ foo: c.foo, any: { deep: [{ x }] } }, { name: "c2" });
  const foo: Ref<Foo, Item> = c2.foo;
  const deep: Ref<string | undefined> = input.maybe.deep.v;
  const p1: Ref<string, Item> = polite(x);
  const p2: Ref<string, Item> = polite2(x);
  const i = ifc({ v: { a: x }, r: [{ a: "x" }, { a: x }] });
  const ok: Ref<boolean, Item> = i.ok;
  const y = need({ x: present(filter(x, i.ok)) });
  const nul = need({ x: orElse(input.maybe.deep.v, x) });
  const perItem: Ref<{ y: string }, Item> = nul;
  const any: Ref<number> = js({ data: 1 }, { name: "any" }).any;
  const best = reduce("best", { y: y.y, n: 1 }, "", (a, v) => a + v.y + v.n);
  const joined: Ref<string> = derive([best, input.xs], ([b, xs]) => b + xs.join());
  const inRun: RefOf<unknown, Item3> = joined; // an outer ref stands wherever an inner one may
  // @ts-expect-error but not the other way round
  const notInRun: RefOf<unknown> = y;
  return { a: collect(j.out), joined, url: js({ data: 2 }, { name: "url" }).u.href };
});
check<Equal<OutputOf<typeof g>["url"], string>>();

// ops and graphs as parameters
const lib = <M extends Runnable<{ x: string }, { y: string }>>(m: M): M => m;
lib(need);
const asParam = (name: string, model: Op<{ x: string; opt?: number }, { y: string }>) =>
  graph(name, (input: Ref<{ q: string }>) => ({ a: model({ x: input.q }).y }));
export const viaParam = asParam("p", need);

// schemas: callers see the input type, the body the output type
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
