/** Workflows whose journals are kept in `workflows-1`. They are never changed: what is new is another set. */
import { z } from "zod";
import {
  append,
  CallError,
  collect,
  each,
  graph,
  op,
  stateGraph,
  workflow,
  type Engine,
  type Op,
  type Ref,
  type Runnable,
} from "../../../src/index.ts";
import { ran } from "./ran.ts";
import { toTheEnd, type Story } from "./story.ts";

const Yes = z.object({ ok: z.boolean() });

function counting(name: string): Op<{ n: number }, { n: number }> {
  return op(name, async ({ n }: { n: number }) => {
    ran.push(name);
    return { n: n + 1 };
  });
}
const one = counting("one");
const two = counting("two");
const three = counting("three");
const count = op("count", function* ({ to }: { to: number }) {
  ran.push("count");
  for (let n = 0; n < to; n++) yield { n };
});
const refuse = op("refuse", async ({ why }: { why: string }): Promise<{ never: string }> => {
  ran.push("refuse");
  throw Object.assign(new RangeError(why), { code: "Refused", data: { why } });
});

const inOrder = workflow("inOrder", { uses: [one, two, three] }, async (w, { n }: { n: number }) => {
  const first = await w.run(one, { n });
  const second = await w.run(two, first, { name: "the second" });
  return w.run(three, second);
});

const chance = workflow("chance", { uses: [one], emits: ["drawn"] }, async (w, _input: {}) => {
  const from = w.now();
  const { n } = await w.run(one, { n: Math.floor(w.random() * 1_000) });
  const id = w.uuid();
  w.emit("drawn", { n, id });
  await w.sleep(1);
  const last = await w.run(one, { n: Math.floor(w.random() * 1_000) });
  return { n: last.n, id, passed: w.now() >= from };
});

const part = graph("part", (input: Ref<{ to: number }>) => ({
  ns: collect(two({ n: count({ to: input.to }).n }).n),
}));
const machine = stateGraph("machine", { state: { log: append<string>() }, nodes: ["a", "b"] })
  .node("a", (_state, to) => {
    ran.push("a");
    return to.write({ log: "a" });
  })
  .node("b", ({ log }, to) => {
    ran.push("b");
    return to.write({ log: `b after ${log.length}` });
  })
  .entry("a")
  .edge("a", "b")
  .compile();

const everything = workflow(
  "everything",
  { uses: { one, inner: inOrder, part, machine, count } },
  async (w, { n }: { n: number }) => {
    const all = await w.all([() => w.run(inOrder, { n }), () => w.run(one, { n: 10 }), () => w.run(one, { n: 20 })], {
      concurrency: 2,
    });
    const [{ ns }, { log }] = await Promise.all([w.run(part, { to: 3 }), w.run(machine, { log: "in" })]);
    const counted = await w.run(count, { to: 2 });
    return { all, ns, log, counted };
  },
);

const asking = workflow(
  "asking",
  {
    uses: [one],
    asks: { ok: { answer: Yes, title: "Go on?" }, late: { answer: Yes, timeout: 1, default: { ok: false } } },
  },
  async (w, { n }: { n: number }) => {
    const { n: first } = await w.run(one, { n });
    const { ok } = await w.interrupt("ok", { first });
    const late = await w.interrupt("late");
    return ok && !late.ok ? (await w.run(one, { n: first })).n : 0;
  },
);

const catching = workflow("catching", { uses: [refuse, one] }, async (w, _input: {}) => {
  const said: string[] = [];
  for (const why of ["first", "second"]) {
    try {
      await w.run(refuse, { why });
    } catch (error) {
      if (error instanceof CallError) said.push(`${error.code}: ${error.message}`);
    }
  }
  await w.run(one, { n: said.length });
  return said;
});

const failing = workflow("failing", { uses: [refuse, one] }, async (w, _input: {}) => {
  const { n } = await w.run(one, { n: 1 });
  try {
    return await w.run(refuse, { why: `at ${n}` });
  } finally {
    await w.run(one, { n });
  }
});

/** What lost is ended when the body is over. */
const racing = workflow(
  "racing",
  { uses: [one], asks: { never: { answer: Yes } } },
  async (w, { n }: { n: number }) => {
    const winner = await Promise.race([w.run(one, { n }), w.interrupt("never"), w.sleep("1h")]);
    return { winner };
  },
);

const perItem = graph("perItem", (input: Ref<{ ns: number[] }>) => ({
  ns: collect(inOrder({ n: each(input.ns) }, { parallel: 2 }).n),
}));

function single(graph_: Runnable<never, unknown>, input: unknown, answer?: Story["answer"]): Story {
  const happens = async (engine: Engine): Promise<void> =>
    toTheEnd(await engine.start(graph_, input as never, { id: "r1" }), answer);
  return { name: graph_.name, graph: graph_, happens, ...(answer !== undefined && { answer }) };
}

export const workflows: readonly Story[] = [
  single(inOrder, { n: 1 }),
  single(chance, {}),
  single(everything, { n: 1 }),
  single(asking, { n: 1 }, () => ({ ok: true })),
  { ...single(asking, { n: 1 }), name: "asking-waiting" },
  single(catching, {}),
  single(failing, {}),
  single(racing, { n: 1 }),
  single(perItem, { ns: [1, 2, 3] }),
];
