/** What the types of workflows accept, and what they refuse. */
import { z } from "zod";
import {
  graph,
  op,
  stateGraph,
  last,
  workflow,
  type CallError,
  type Engine,
  type Ref,
  type Workflow,
} from "../src/index.ts";

const Yes = z.object({ yes: z.boolean(), note: z.string().optional() });
const classify = op("classify", async ({ ticket }: { ticket: string }) => ({
  risk: ticket.length,
  kind: "a" as "a" | "b",
}));
const words = op("words", function* ({ text }: { text: string }) {
  for (const word of text.split(" ")) yield { word };
});
const checked = op(
  "checked",
  { input: z.object({ n: z.coerce.number() }), output: z.object({ n: z.string() }) },
  ({ n }) => ({
    n: String(n),
  }),
);
const part = graph("part", (input: Ref<{ text: string }>) => ({ word: words({ text: input.text }).word }));
const states = stateGraph("states", { state: { n: last(0) }, nodes: ["a"] })
  .node("a", (_state, to) => to.write({ n: 1 }))
  .compile();
const other = op("other", async ({ url }: { url: URL }) => ({ at: url.href }));

export const support = workflow(
  "support",
  { uses: [classify, words, checked, part, states], asks: { ok: { answer: Yes } }, emits: ["news"] },
  async (w, input: { ticket: string }) => {
    const { risk, kind } = await w.run(classify, { ticket: input.ticket });
    const stop = new AbortController();
    await w.run(classify, { ticket: input.ticket }, { signal: stop.signal, name: "once more" });
    await w.sleep("1s", stop);
    // @ts-expect-error it is no signal
    await w.run(classify, { ticket: input.ticket }, { signal: stop });
    const list: { word: string }[] = await w.run(words, { text: "a b" });
    const text: { n: string } = await w.run(checked, { n: "1" });
    const { word }: { word: string[] } = await w.run(part, { text: "a" });
    const state: { n: number } = await w.run(states, { n: 2 });
    const { yes, note }: { yes: boolean; note?: string | undefined } = await w.interrupt("ok", { any: "payload" });
    const [first, second]: [{ risk: number; kind: "a" | "b" }, number] = await w.all([
      () => w.run(classify, { ticket: "x" }),
      async () => 3,
    ]);
    w.emit("news", word);
    // @ts-expect-error a wrong input
    await w.run(classify, { ticket: 1 });
    // @ts-expect-error a missing input
    await w.run(classify, {});
    // @ts-expect-error a misspelt output
    void (await w.run(classify, { ticket: "" })).rsk;
    // @ts-expect-error not declared
    await w.run(other, { url: new URL("a:b") });
    // @ts-expect-error not declared
    await w.interrupt("no");
    // @ts-expect-error not declared
    w.emit("olds", 1);
    // @ts-expect-error no duration
    await w.sleep("soon");
    return { risk, kind, list, text, state, yes, note, first, second };
  },
);
support satisfies Workflow<{ ticket: string }, { risk: number; kind: "a" | "b"; yes: boolean }>;

const validated = workflow(
  "validated",
  { input: z.object({ n: z.coerce.number() }) },
  async (_w, { n }) => n satisfies number,
);
declare const engine: Engine;
export const risk: number = (await engine.run(support, { ticket: "t" })).risk;
export const n: number = await engine.run(validated, { n: "1" });
// @ts-expect-error a wrong input
await engine.run(support, { ticket: 1 });

export const flow = graph("flow", (input: Ref<{ ticket: string }>) => {
  const result = support({ ticket: input.ticket }, { timeout: { total: "1m" } });
  // @ts-expect-error a misspelt input
  support({ tickets: input.ticket }, { name: "again" });
  return { risk: result.risk satisfies Ref<number> };
});

// @ts-expect-error neither an op nor a graph
workflow("wrong", { uses: [() => 1] }, async () => 1);
// @ts-expect-error no answer
workflow("wrong", { asks: { ok: {} } }, async () => 1);
// @ts-expect-error a body that is not async
workflow("wrong", {}, () => 1);

/** A default stands for an answer as the body gets it. */
const Amount = z.object({ n: z.string().transform(Number), tags: z.array(z.string()) });
export const asks = workflow(
  "asks",
  { asks: { amount: { answer: Amount, timeout: "1d", default: { n: 3, tags: [] } }, ok: { answer: Yes } } },
  async (w, _input: {}) => {
    const { n: amount }: { n: number } = await w.interrupt("amount");
    return { amount, yes: (await w.interrupt("ok")).yes };
  },
);
// @ts-expect-error a default that is no answer
workflow("wrong", { asks: { amount: { answer: Amount, default: { n: "3", tags: [] } } } }, async () => 1);
// @ts-expect-error a default that lacks something
workflow("wrong", { asks: { amount: { answer: Amount, default: { n: 3 } } } }, async () => 1);
// @ts-expect-error a default that is something else
workflow("wrong", { asks: { ok: { answer: Yes, default: "yes" } } }, async () => 1);

export const codeOf = (error: CallError): string => error.code;
