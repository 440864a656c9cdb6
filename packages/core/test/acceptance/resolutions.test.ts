import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  filter,
  graph,
  memory,
  op,
  orElse,
  present,
  push,
  read,
  reduce,
  text,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import { definitionOf } from "../../src/build/definition.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { crashEverywhere, open } from "./support/engines.ts";

let ran: string[] = [];

/** What one item becomes: its op gives a value, fails, is skipped because one before it failed, or is absent. */
type Fate = "value" | "failed" | "skipped" | "absent";

const prepare = op("prepare", async ({ fate }: { fate: Fate }) => {
  if (fate === "skipped") throw new Error("prepare failed");
  return { fate, keep: fate !== "absent" };
});
const make = op("make", async ({ fate }: { fate: Fate }) => {
  if (fate === "failed") throw new Error("make failed");
  return { out: `made ${fate}`, maybe: fate === "absent" ? null : fate };
});
const use = op("use", async ({ out }: { out: string }, ctx) => {
  ran.push(ctx.node);
  return { used: out };
});
const log = cell("log", append<string>());

/** Every kind of consumer of one item, gathered so that each can be looked at alone. */
const consumers = graph("consumers", (input: Ref<{ fates: Fate[] }>) => {
  const fate = each(input.fates);
  const prepared = prepare({ fate });
  const kept = filter(prepared, prepared.keep);
  const made = make({ fate: kept.fate });
  const byData = use({ out: made.out }, { name: "byData" });
  const byAfter = use({ out: fate }, { name: "byAfter", after: [made] });
  const byBoth = use({ out: fate }, { name: "byBoth", after: [byAfter] });
  const derived = derive(made, (m) => m.out.length);
  const texted = text`text ${made.out}`;
  const elsed = orElse(made.maybe, "else");
  const pushed = push(log, made.out);
  return {
    data: collect(byData.used, { errors: "settle" }),
    after: collect(byAfter.used, { errors: "settle" }),
    chained: collect(byBoth.used, { errors: "settle" }),
    derived: collect(derived, { errors: "settle" }),
    texted: collect(texted, { errors: "settle" }),
    elsed: collect(elsed, { errors: "settle" }),
    skip: collect(byData.used, { errors: "skip" }),
    folded: reduce("folded", byData.used, "", (all, one) => `${all}[${one}]`, { errors: "skip" }),
    log: read(log, { after: [pushed] }),
  };
});

type Settled = { ok: boolean; value?: unknown; error?: { node: string } };

/** `value`, or the node whose failure stands there; nothing for an absent item. */
function fatesOf(list: unknown): unknown[] {
  return (list as Settled[]).map((entry) => (entry.ok ? entry.value : `failed by ${entry.error?.node}`));
}

const gathered = ["data", "after", "chained", "derived", "texted", "elsed"] as const;

test.each([
  [
    "value",
    {
      data: ["made value"],
      after: ["value"],
      chained: ["value"],
      derived: [10],
      texted: ["text made value"],
      elsed: ["value"],
    },
  ],
  ["failed", Object.fromEntries(gathered.map((key) => [key, ["failed by make"]]))],
  ["skipped", Object.fromEntries(gathered.map((key) => [key, ["failed by prepare"]]))],
  // `make` is absent, and `after` is satisfied by that; so its consumers run.
  ["absent", { data: [], after: ["absent"], chained: ["absent"], derived: [], texted: [], elsed: [] }],
] as const)(
  "K1 a %s input: each kind of consumer resolves as rule 1 says, live and after a crash behind any record",
  async (fate, expected) => {
    const { result } = await crashEverywhere(
      consumers,
      { fates: [fate] },
      ({ result: again, cut }, { result: whole }) => {
        expect(again, `crashed behind record ${cut}`).toEqual(whole);
      },
    );
    const output = (result as { output: Record<string, unknown> }).output;
    expect(Object.fromEntries(gathered.map((key) => [key, fatesOf(output[key])]))).toEqual(expected);
    const values = fate === "value" ? ["made value"] : [];
    expect(output).toMatchObject({ skip: values, log: values, folded: values.map((one) => `[${one}]`).join("") });
    const root = { value: [], absent: [], failed: ["make"], skipped: ["prepare"] }[fate];
    expect(result.errors.map(({ node }) => node)).toEqual(root);
  },
);

test("K1 a failed input decides at once and an absent one last: the outcome is the same whichever is first", async () => {
  const fails = op("fails", async ({ ms }: { ms: number }): Promise<{ v: number }> => {
    for (let i = 0; i < ms; i++) await new Promise((resolve) => setImmediate(resolve));
    throw new Error("no");
  });
  const gives = op("gives", async ({ ms }: { ms: number }) => {
    for (let i = 0; i < ms; i++) await new Promise((resolve) => setImmediate(resolve));
    return { v: null as number | null };
  });
  const pair = op("pair", async (input: { a: number; b: number }) => input);
  const both = graph("both", (input: Ref<{ xs: { fail: number; give: number }[] }>) => {
    const x = each(input.xs);
    const p = pair({
      a: present(gives({ ms: x.give }, { parallel: 4 }).v),
      b: fails({ ms: x.fail }, { parallel: 4 }).v,
    });
    return { all: collect(p, { errors: "settle" }) };
  });
  const engine = await open();
  const output = (await engine.run(both, {
    xs: [
      { fail: 0, give: 5 },
      { fail: 5, give: 0 },
    ],
  })) as { all: unknown };
  expect(fatesOf(output.all)).toEqual(["failed by fails", "failed by fails"]);
});

test("K1 a stream that fails: collect fails with it, also when it says skip; settle gives one more entry; after of its items is skipped", async () => {
  const source = op("source", async function* (_input: { n: number }) {
    yield { k: 1 };
    throw new Error("source broke");
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => {
    const k = source({ n: input.n }).k;
    const count = use(
      { out: derive(collect(k, { errors: "skip" }), (all) => String(all.length)) },
      { name: "afterSkip" },
    );
    const ended = use({ out: "x" }, { name: "afterEnd", after: [k] });
    return { settle: collect(k, { errors: "settle" }), ...guard(count, ended) };
  });
  ran = [];
  const { result } = await crashEverywhere(flow, { n: 1 }, ({ result: again }, { result: whole }) =>
    expect(again).toEqual(whole),
  );
  expect(ran).toEqual([]);
  const { settle } = (result as { output: { settle: unknown } }).output;
  expect(fatesOf(settle)).toEqual([1, "failed by source"]);
  expect(result.errors).toMatchObject([{ node: "source", count: 1 }]);
});

/** Keeps nodes in the graph without making them part of the output. */
function guard(..._nodes: readonly unknown[]): object {
  return {};
}

test("K1 a failed item fails its collect with the first failed item in yield order, and the run that needed it is failed", async () => {
  const fails = op("fails", async ({ n }: { n: number }) => {
    for (let i = 0; i < 5 - n; i++) await new Promise((resolve) => setImmediate(resolve));
    if (n !== 1) throw new Error(`item ${n}`);
    return { n };
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => {
    const all = collect(fails({ n: each(input.xs) }, { parallel: 5 }).n);
    return {
      first: collect(
        each(
          derive(all, (list) => list),
          { name: "again" },
        ),
      ),
    };
  });
  const engine = await open({ backend: memory() });
  const handle = await engine.start(flow, { xs: [1, 2, 3] });
  const result = await handle.result();
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([{ node: "fails", count: 2 }]);
  await expect(handle.output()).rejects.toMatchObject({ code: "OpFailed", cause: { node: "fails" } });
});

test("K1 after with the items of a stream waits for the end of that stream and does not mind failed items", async () => {
  const order: string[] = [];
  const item = op("item", async ({ n }: { n: number }) => {
    for (let i = 0; i < n; i++) await new Promise((resolve) => setImmediate(resolve));
    order.push(`item ${n}`);
    if (n === 2) throw new Error("two");
    return { n };
  });
  const last = op("last", async () => {
    order.push("last");
    return { done: true };
  });
  const flow = graph("flow", (input: Ref<{ xs: number[] }>) => ({
    done: last({}, { after: [item({ n: each(input.xs) }, { parallel: 3 })] }).done,
  }));
  const engine = await open();
  expect(await engine.run(flow, { xs: [3, 2, 1] })).toEqual({ done: true });
  expect(order).toEqual(["item 1", "item 2", "item 3", "last"]);
});

/** The graph with a plan in which `node` waits for one thing more than there is. */
function broken(of: Graph<{ n: number }, unknown>, node: string): Graph<{ n: number }, unknown> {
  const plan = planOf(of);
  const slot = plan.slots.find(({ name }) => name === node);
  if (slot === undefined) throw new Error(`no node ${node}`);
  const scopes = plan.scopes.map((scope) => {
    if (scope.id !== slot.scope) return scope;
    const missing = scope.missing.map((count, local) => (local === slot.local ? count + 1 : count));
    return { ...scope, missing, ready: scope.ready.filter((local) => local !== slot.local) };
  });
  const definition = definitionOf(of);
  if (definition === undefined) throw new Error("not a graph");
  definition.plan = { ...plan, scopes };
  return of;
}

function chainOf(name: string): Graph<{ n: number }, { used: string }> {
  return graph(name, (input: Ref<{ n: number }>) => {
    const first = use({ out: text`${input.n}` }, { name: "first" });
    return { used: use({ out: first.used }, { name: "second" }).used };
  });
}

test("K2 a node that can never resolve ends the run as Stalled, naming it, and is never silent", async () => {
  const flow = broken(chainOf("chain"), "second");
  const engine = await open({ backend: memory() });
  const handle = await engine.start(flow as Graph<{ n: number }, { used: string }>, { n: 1 }, { id: "r" });
  const result = await handle.result();
  expect(result.status).toBe("failed");
  expect(result.errors).toMatchObject([{ node: "second", path: "chain/second", code: "Stalled" }]);
  await expect(handle.output()).rejects.toMatchObject({
    code: "Stalled",
    message: expect.stringContaining('"second"'),
  });
  expect(await engine.get("r")).toMatchObject({ status: "failed", errors: [{ node: "second", code: "Stalled" }] });
});

test("K2 a node stalled beside an output that is complete is reported all the same", async () => {
  const side = graph("side", (input: Ref<{ n: number }>) => {
    use({ out: "aside" }, { name: "aside" });
    return { used: use({ out: text`${input.n}` }, { name: "main" }).used };
  });
  const engine = await open();
  const result = await (await engine.start(broken(side, "aside"), { n: 1 })).result();
  expect(result.errors).toMatchObject([{ node: "aside", code: "Stalled" }]);
});

test("K2 a node stalled in one item names that item", async () => {
  const items = graph("items", (input: Ref<{ n: number }>) => {
    const x = each(
      derive(input.n, (n) => Array.from({ length: n }, (_, i) => String(i))),
      { name: "xs" },
    );
    return { all: collect(use({ out: x }, { name: "perItem" }).used) };
  });
  const engine = await open();
  const result = await (await engine.start(broken(items, "perItem"), { n: 2 })).result();
  expect(result.status).toBe("failed");
  // Both items close in one step; which of them is looked at first is nobody's business.
  expect(result.errors[0]).toMatchObject({
    node: "perItem",
    code: "Stalled",
    path: expect.stringMatching(/^items\/xs\[[01]\]\/perItem$/),
    count: 2,
  });
});
