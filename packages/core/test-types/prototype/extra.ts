// oxlint-disable eslint/no-unused-vars, eslint/no-unused-expressions, typescript/no-unnecessary-type-assertion -- here the declarations are the assertions
// The prototype's further checks: resources, streams out of subgraphs, blocks that join the scope of what they use.
import {
  add,
  cell,
  collect,
  derive,
  each,
  fallback,
  graph,
  loop,
  op,
  orElse,
  push,
  resource,
  text,
  when,
  zip,
  type Engine,
  type Item,
  type Item2,
  type Ref,
} from "../../src/index.ts";

interface Model {
  generate(prompt: string): Promise<string>;
}
const Chat = resource<Model>("chat");
const Db = resource<{ q(s: string): number }>("db");
const need = op("need", async (i: { /** the url */ x: string }) => ({
  /** docs of y */ y: i.x,
  ok: true as boolean,
}));
op("r", { needs: { model: Chat } }, async (i: { x: string }, ctx) => {
  // @ts-expect-error unknown resource
  ctx.resources.modle;
  return { t: await ctx.resources.model.generate(i.x) };
});
// @ts-expect-error binding of another type
Chat.to(Db);
const gen = op("gen", async function* (i: { x: string }) {
  yield { tok: i.x };
});
export const inner = graph("inner", (input: Ref<{ x: string }>) => {
  const g = gen({ x: input.x });
  return { tok: g.tok, whole: derive(collect(g.tok), (t) => t.join("")) };
});
export const g = graph("g", (input: Ref<{ xs?: string[]; n: number; who?: string }>) => {
  const x = each(orElse(input.xs, []));
  const xs: Ref<string, Item> = x;
  const a = inner({ x: "one" });
  const t1: Ref<string, Item> = a.tok;
  const w1: Ref<string> = a.whole;
  const b = inner({ x }, { name: "perItem" });
  const t2: Ref<string, Item2> = b.tok;
  const w2: Ref<string, Item> = b.whole;
  // @ts-expect-error a deeper stream into a list needs collect twice
  const bad: Ref<string[]> = collect(b.tok);
  const good: Ref<string[][]> = collect(collect(b.tok));
  when("wrong", need({ x }).ok, () => collect(x)); // compiles: it is the build that refuses it
  const s = loop("turns", { max: 3 }, { n: 0 }, (state) => ({
    next: { n: derive([state.n, x], ([n]) => n + 1) },
    until: need({ x }).ok,
    result: { who: x },
  }));
  const perItem: Ref<{ who: string }, Item> = s;
  const z1 = zip({ a: x, b: t2 as never as Ref<string, Item> });
  const za: Ref<string, Item> = z1.a;
  // @ts-expect-error zip of a value
  zip({ a: input.n, b: input.n });
  const greet = text`Hi ${orElse(input.who, "you")}, ${input.n} new`;
  // @ts-expect-error text of an object
  text`${need({ x })}`;
  // @ts-expect-error text of an optional value
  text`${input.who}`;
  const e = fallback(
    "f",
    () => need({ x }),
    (err) => {
      const m: Ref<string> = err.message;
      return need({ x: m });
    },
  );
  fallback(
    "f2",
    () => need({ x }),
    // @ts-expect-error typo
    (err) => need({ x: err.mesage }),
  );
  const total = cell("total", add());
  // @ts-expect-error wrong update
  push(total, "x");
  return { k: collect(e.y), greet };
});

declare const engine: Engine;
const out = await engine.run(inner, { x: "a" });
const o1: { tok: string[]; whole: string } = out;
const h = await engine.start(inner, { x: "a" });
for await (const t of h.items("tok")) t.length;
// @ts-expect-error not a stream
for await (const t of h.items("whole")) t;
