// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions -- here the declarations are the assertions
// The prototype's further checks: data of every shape, helpers generic in scope, and what only the build can see.
import {
  collect,
  derive,
  each,
  fallback,
  filter,
  graph,
  op,
  orElse,
  present,
  race,
  reduce,
  text,
  when,
  type Engine,
  type Item,
  type Item3,
  type Ref,
  type RefOf,
  type Runnable,
  type Scope,
} from "../../src/index.ts";
import { hear } from "../../test/acceptance/prototype/flows.ts";
import { check, type Equal, type OutputOf } from "../equal.ts";

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
interface Named {
  a: string;
}
const ifc = op("ifc", async (_i: { v: Named; r: readonly Named[] }) => ({ ok: true as boolean }));
// helpers generic in scope
function polite<S extends Scope>(t: Ref<string, S>): Ref<string, S> {
  return need({ x: text`Dear ${t}` }).y as Ref<string, S>;
}
function polite2<S extends Scope>(t: Ref<string, S>) {
  return need({ x: t }).y;
}
export const g = graph("g", (input: Ref<{ xs: string[]; data: Json; maybe?: { deep: { v: string } | null } }>) => {
  const x = each(input.xs);
  const j = js({ data: { a: x, b: [1, x] } });
  const jj: Ref<Json, Item> = j.out;
  js({ data: input.data });
  const c = cls({ foo: new Foo(), any: new Foo() });
  const c2 = cls({ foo: c.foo, any: { deep: [{ x }] } });
  const cc: Ref<Foo, Item> = c2.foo;
  const deep: Ref<string | undefined> = input.maybe.deep.v;
  const pp: Ref<string, Item> = polite(x);
  const p2: Ref<string, Item> = polite2(x);
  const i = ifc({ v: { a: x }, r: [{ a: "x" }, { a: x }] });
  const ii: Ref<boolean, Item> = i.ok;
  need({ x: present(when("w", i.ok, () => x)) });
  const nul = need({ x: orElse(input.maybe.deep.v, x) });
  const nn: Ref<{ y: string }, Item> = nul;
  const an: Ref<number> = js({ data: 1 }).any; // any flows
  const y = need({ x: present(filter(x, i.ok)) });
  const best = reduce("best", { y: y.y, n: 1 }, "", (all, v) => all + v.y + v.n);
  const joined: Ref<string> = derive([best, input.xs], ([b, xs]) => b + xs.join());
  const inRun: RefOf<unknown, Item3> = joined; // an outer ref stands wherever an inner one may
  // @ts-expect-error but not the other way round
  const notInRun: RefOf<unknown> = y;
  const r = race("r", { a: () => need({ x }), b: () => need({ x: "k" }) });
  const rr: Ref<{ y: string }, Item> = r;
  // a block whose closure uses an item but returns what is the run's: the type says run, the build refuses it
  const leak = fallback(
    "leak",
    () => {
      need({ x });
      return { ok: true };
    },
    () => ({ ok: false }),
  );
  const ll: Ref<{ ok: boolean }> = leak;
  return { a: collect(j.out), joined, url: js({ data: 2 }).u.href };
});
check<Equal<OutputOf<typeof g>["url"], string>>();
const r1: string = (await need.fn({ x: "a" })).y;
for await (const u of hear.fn({ call: "x" })) {
  const s: string = u.text;
}
const run1: Runnable<{ x: string; opt?: number }, { y: string }> = need;
const narrower: Runnable<{ x: string; opt: number }, {}> = need;
declare const engine: Engine;
await engine.run(need, { x: "a" });
// @ts-expect-error input typo
await engine.run(need, { y: "a" });
