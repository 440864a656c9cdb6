/** Graphs as users write them, to be simulated. */
import {
  add,
  cell,
  collect,
  each,
  emit,
  fallback,
  graph,
  interrupt,
  loop,
  op,
  push,
  race,
  read,
  reduce,
  resource,
  sleep,
  workflow,
  type Graph,
  type Ref,
  type Resource,
  type StandardSchemaV1,
  type Workflow,
} from "../../src/index.ts";

export const yes: StandardSchemaV1<boolean, boolean> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => (typeof value === "boolean" ? { value } : { issues: [{ message: "expected yes or no" }] }),
  },
};

const pages = op("pages", async function* ({ n }: { n: number }) {
  for (let k = 0; k < n; k++) yield { k };
});
const fetchPage = op(
  "fetchPage",
  { retry: { attempts: 3, initial: 200, jitter: "none" } },
  async ({ k }: { k: number }, ctx) => {
    if (k % 3 === 1 && ctx.attempt === 1) throw Object.assign(new Error("busy"), { status: 503 });
    return { words: k * 7 + 1 };
  },
);
const score = op("score", { effect: "pure" }, ({ words }: { words: number }) => ({ score: words % 10 }));

/** A stream, retries, a pure op, a cell that any order gives the same sum, a fold. */
export const crawl: Graph<{ n: number }, unknown> = graph("crawl", (input: Ref<{ n: number }>) => {
  const words = cell("words", add());
  const page = fetchPage({ k: pages({ n: input.n }).k }, { parallel: 3, buffer: 4 });
  const pushed = push(words, page.words);
  return {
    scores: collect(score({ words: page.words }).score),
    words: read(words, { after: [pushed] }),
    sum: reduce("sum", page.words, 0, (total, one) => total + one),
  };
});

const draft = op("draft", async ({ text }: { text: string }) => ({ text: `${text}.` }));
const charge = op("charge", { effect: "unsafe" }, async ({ text }: { text: string }) => ({ receipt: text.length }));

/** A question, a long wait, an unsafe op, an emission. */
export const order: Graph<{ text: string }, unknown> = graph("order", (input: Ref<{ text: string }>) => {
  const { text } = draft({ text: input.text });
  const approved = interrupt("approve", { text }, { answer: yes });
  const rested = sleep("rest", "3d", { after: [approved] });
  const { receipt } = charge({ text }, { after: [rested] });
  emit("receipt", receipt);
  return { approved, receipt };
});

const busy = op(
  "busy",
  { retry: { attempts: 2, initial: "1m", factor: 1, jitter: "none" } },
  async ({ text }: { text: string }, ctx) => {
    if (ctx.attempt === 1) throw Object.assign(new Error("busy"), { status: 503 });
    return { text };
  },
);

/** A question beside an attempt that is tried again after a minute. */
export const patient: Graph<{ text: string }, unknown> = graph("patient", (input: Ref<{ text: string }>) => ({
  approved: interrupt("approve", { text: input.text }, { answer: yes }),
  text: busy({ text: input.text }).text,
}));

const step = op("step", async ({ n }: { n: number }) => ({ n: n + 1, done: n >= 3 }));
const flaky = op("flaky", async ({ n }: { n: number }): Promise<{ n: number }> => {
  throw new Error(`cannot ${n}`);
});

/** A loop, a fallback over something that always fails, a race. */
export const blocks: Graph<{ n: number }, unknown> = graph("blocks", (input: Ref<{ n: number }>) => {
  const turns = loop("turns", { max: 6 }, { n: input.n }, (state) => {
    const next = step({ n: state.n });
    return { until: next.done, next: { n: next.n } };
  });
  const saved = fallback(
    "saved",
    () => ({ n: flaky({ n: input.n }).n }),
    () => ({ n: step({ n: input.n }, { name: "instead" }).n }),
  );
  return { turns, saved };
});

/** Whoever is first wins: nothing to compare with. */
export const hurry: Graph<{ n: number }, unknown> = graph("hurry", (input: Ref<{ n: number }>) => ({
  first: race("first", {
    left: () => step({ n: input.n }).n,
    right: () => step({ n: input.n }).n,
  }),
}));

export interface Time {
  sleep(ms: number): Promise<void>;
}
export const Time: Resource<Time> = resource<Time>("time");
const slow = op("slow", { needs: { time: Time } }, async ({ x }: { x: number }, ctx) => {
  await ctx.resources.time.sleep(1_000 * x);
  return { x };
});

/** Bodies that take their time. */
export const slowly: Graph<{ xs: number[] }, unknown> = graph("slowly", (input: Ref<{ xs: number[] }>) => ({
  xs: collect(slow({ x: each(input.xs) }, { parallel: 2 }).x),
}));

/** Calls side by side and one after the other, a question, a wait, time and chance. */
export const errand: Workflow<{ n: number }, { words: number }> = workflow(
  "errand",
  { uses: [fetchPage, score], asks: { ok: { answer: yes } } },
  async (w, { n }) => {
    const pagesOf = async (k: number): Promise<number> => {
      const { words } = await w.run(fetchPage, { k });
      return (await w.run(score, { words })).score;
    };
    const scores = await Promise.all(Array.from({ length: n }, (_, k) => pagesOf(k)));
    if (w.random() >= 0) await w.sleep(w.now() > 0 ? "20s" : "1d");
    const sure = await w.interrupt("ok", scores);
    const words = scores.reduce((sum, one) => sum + one, 0);
    return { words: sure ? (await w.run(score, { words })).score : -1 };
  },
);
