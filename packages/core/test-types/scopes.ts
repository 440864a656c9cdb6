// oxlint-disable eslint/no-unused-vars -- here the declarations are the assertions
// What a structure holds besides refs says nothing about how deep it is.
import {
  collect,
  derive,
  each,
  graph,
  interrupt,
  loop,
  op,
  when,
  type Item,
  type Ref,
  type RefOf,
  type Scope,
} from "../src/index.ts";
import { check, type Equal, type OutputOf } from "./equal.ts";

interface Signed {
  readonly who: string;
  readonly note?: string;
}
interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
  readonly parent?: Tree;
}
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

declare const tree: Tree;
declare const json: Json;
// oxlint-disable-next-line typescript/no-explicit-any -- what JSON.parse gives
declare const anything: any;
const sign = op("sign", async (i: { by: Signed; n?: number }) => ({ ok: true as boolean }));
const grow = op("grow", async (i: { tree: Tree; json?: Json }) => ({ tree: i.tree }));

export const optional = graph("optional", (input: Ref<{ names: string[]; n: number }>) => {
  const by: Signed = { who: "me" };
  const once: Ref<{ ok: boolean }> = sign({ by });
  const perItem: Ref<{ ok: boolean }, Item> = sign({ by: { who: each(input.names), note: "x" } }, { name: "each" });
  // @ts-expect-error it is made of an item
  const notOnce: Ref<{ ok: boolean }> = perItem;
  return loop("turns", {}, { signed: [] as readonly Signed[], n: input.n }, (state) => ({
    next: { signed: state.signed, n: state.n },
    until: derive(state.n, (n) => n > 3),
  }));
});
check<Equal<OutputOf<typeof optional>["signed"], readonly Signed[]>>();

export const recursive = graph("recursive", (input: Ref<{ names: string[]; n: number; tree: Tree }>) => {
  const grown: Ref<{ tree: Tree }> = grow({ tree, json });
  const derived: Ref<string> = derive([tree, json, input.n], ([t, j, n]) => `${t.children.length} ${typeof j} ${n}`);
  const perItem: Ref<number, Item> = derive({ tree, json, name: each(input.names) }, (all) => all.name.length);
  const asked = interrupt("ask", { tree, json, n: input.n }, { answer: {} as never });
  return loop("turns", {}, { tree, json }, (state) => ({
    next: { tree: state.tree, json: state.json },
    until: derive(state.tree, ({ children }) => children.length === 0),
  }));
});
check<Equal<OutputOf<typeof recursive>, { tree: Tree; json: Json }>>();

export const loose = graph("loose", (input: Ref<{ names: string[]; n: number }>) => {
  const once: Ref<number> = derive([anything, input.n], ([a, n]) => Number(a.whatever) + n);
  const named: Ref<number> = derive({ a: anything, n: input.n }, ({ a, n }) => Number(a.whatever) + n);
  const perItem: Ref<string, Item> = derive([anything, each(input.names)], ([a, name]) => String(a) + name);
  // @ts-expect-error it is made of an item
  const notOnce: Ref<string> = perItem;
  return { once };
});
check<Equal<OutputOf<typeof loose>, { once: number }>>();

// helpers that are generic in the scope
export const upper = <S extends Scope>(t: RefOf<string, S>): Ref<string, S> =>
  derive(t, (value) => value.toUpperCase());
export const helpers = graph("helpers", (input: Ref<{ names: string[]; name: string }>) => {
  const once: Ref<string> = upper(input.name);
  const perItem: Ref<string, Item> = upper(each(input.names));
  const loosely = derive(anything, (value) => String(value.whatever));
  // @ts-expect-error what it computes of is text
  derive(input.name, (value) => value.length.length);
  return { once, all: collect(perItem), loosely };
});
check<Equal<OutputOf<typeof helpers>, { once: string; all: string[]; loosely: string }>>();

// fields of a union whose members have the same keys are one ref, of all their values
interface Draft {
  readonly text: string;
  readonly notes?: string[];
}
export const united = graph("united", (input: Ref<{ go: boolean; u: { t: "x"; v: 1 } | { t: "y"; v: "2" } }>) => {
  const drafted = when(
    "drafted",
    input.go,
    () => ({ draft: { text: "a" } as Draft, n: 1 }),
    () => ({ draft: undefined, n: 2 }),
  );
  const draft: Ref<Draft | undefined> = drafted.draft;
  const deep: Ref<string | undefined> = drafted.draft.text;
  const value: Ref<1 | "2"> = input.u.v;
  const kind: Ref<"x" | "y"> = input.u.t;
  // @ts-expect-error no member has it
  const missing = drafted.drafft;
  return { draft, deep, value, kind };
});
check<Equal<OutputOf<typeof united>["deep"], string | undefined>>();
