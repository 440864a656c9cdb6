/**
 * Names of users become keys of objects in many places: cells that a thread carries, answers and fields of state graphs were looked up among
 * what every object has. Such a name is one like others, or is refused where it is written.
 */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  cell,
  derive,
  emit,
  graph,
  interrupt,
  last,
  loop,
  match,
  memory,
  merge,
  op,
  provide,
  push,
  race,
  read,
  resource,
  route,
  stateGraph,
  threadsOf,
  workflow,
  type Engine,
  type Ref,
} from "../../src/index.ts";
import { open } from "../acceptance/support/engines.ts";

const names = ["__proto__", "constructor", "toString", "hasOwnProperty"] as const;
const Answer = z.object({ ok: z.boolean() });

/** Has it as a key of its own. */
const keyed = <T>(name: string, value: T): Record<string, T> => ({ [name]: value });
const own = (object: object | undefined, name: string): unknown =>
  Object.getOwnPropertyDescriptor(object ?? {}, name)?.value;

async function inTwoLives<T>(
  graphs: readonly object[],
  first: (engine: Engine) => Promise<unknown>,
  second: (engine: Engine) => Promise<T>,
): Promise<T> {
  const store = memory();
  const before = await open({ graphs: graphs as never, backend: store });
  await first(before);
  await before.close();
  return second(await open({ graphs: graphs as never, backend: store.another() }));
}

describe.each(names)("%s names", (name) => {
  test("an op, its keys, a graph, a run, a thread and a label; what it did is told under it, and forked", async () => {
    const work = op(name, async (input: Record<string, number>) => keyed(name, input[name]! + 1));
    const flow = graph(name, (input: Ref<Record<string, number>>) => {
      const given = input as unknown as Record<string, Ref<number>>;
      const made = work(keyed(name, given[name]) as never) as unknown as Record<string, Ref<number>>;
      const said = interrupt("ask", keyed(name, made[name]) as never, { answer: Answer });
      return { ...keyed(name, made[name]), ok: said.ok };
    });
    const options = { id: name, thread: name, labels: keyed(name, "label") };
    await inTwoLives(
      [flow],
      async (engine) => (await engine.start(flow, keyed(name, 1) as never, options)).result(),
      async (engine) => {
        const output = await (await engine.answer(name, "ask", { ok: true })).output();
        expect(Object.entries(output as object)).toEqual([
          [name, 2],
          ["ok", true],
        ]);
        const info = await engine.get(name);
        expect(own(info?.finished, name)).toBe(1);
        expect(own(info?.labels ?? {}, name)).toBe("label");
        expect(await engine.list({ labels: keyed(name, "label"), thread: name })).toHaveLength(1);
        const patch = { outputs: keyed(name, keyed(name, 7)) };
        const preview = await engine.previewFork(name, { patch });
        expect([Object.entries(preview.kept), Object.entries(preview.again)]).toEqual([[], [["ask", 1]]]);
        const fork = await engine.fork(name, { patch });
        expect((await fork.result()).status).toBe("interrupted");
        await fork.answer("ask", { ok: false });
        expect(own((await fork.output()) as object, name)).toBe(7);
      },
    );
  });

  test("a cell that a thread carries, a question, an emission, a resource and arms", async () => {
    const total = cell(name, append<number>(), { carry: true });
    const Service = resource<{ add: (n: number) => number }>(name);
    const add = op("add", { needs: { [name]: Service } }, async ({ n }: { n: number }, ctx) => ({
      n: (own(ctx.resources, name) as { add: (n: number) => number }).add(n),
    }));
    const flow = graph("flow", (input: Ref<{ n: number; way: string }>) => {
      const way = route("way", input.way as never, keyed(name, () => add({ n: input.n })) as never) as unknown as Ref<{
        n: number;
      }>;
      const quick = race("quick", keyed(name, () => ({ n: way.n })) as never) as unknown as Ref<{ n: number }>;
      const turns = loop("turns", { max: 3 }, keyed(name, 0) as never, (state) => {
        const next = add({ n: (state as unknown as Record<string, Ref<number>>)[name]! }, { name: "once" });
        return { next: keyed(name, next.n), until: derive(next.n, (n) => n > 0), result: next.n } as never;
      });
      const said = interrupt(name, {}, { answer: Answer });
      const pushed = push(total, quick.n);
      emit(`${name}_`, quick.n);
      return { ok: said.ok, all: read(total, { after: [pushed] }), turns };
    });
    const engine = await open({
      backend: memory(),
      graphs: [flow],
      resources: [provide(Service, { add: (n) => n + 1 })],
    });
    for (const n of [1, 2, 3]) {
      const handle = await engine.start(flow, { n, way: name }, { thread: "t" });
      expect((await handle.result()).status).toBe("interrupted");
      await handle.answer(name, { ok: true });
      expect(await handle.output()).toEqual({ ok: true, all: [2, 3, 4].slice(0, n), turns: 1 });
      expect(own((await handle.result()).cells, name)).toEqual([2, 3, 4].slice(0, n));
    }
    expect(own(await engine.carried("t"), name)).toEqual([2, 3, 4]);
  });

  test("what a workflow uses, asks and emits", async () => {
    const add = op("add", async ({ n }: { n: number }) => ({ n: n + 1 }));
    const uses = workflow(name, { uses: keyed(name, add) }, async (w, { n }: { n: number }) => w.run(add, { n }));
    const asks = workflow("asks", { asks: keyed(name, { answer: Answer }), emits: ["news"] }, async (w, _input: {}) => {
      const { ok } = await w.interrupt(name);
      w.emit("news", ok);
      return ok;
    });
    const emits = workflow("emits", { uses: [add], emits: [name] }, async (w, _input: {}) => {
      w.emit(name, 1);
      return w.run(add, { n: 1 });
    });
    await inTwoLives(
      [asks, uses, emits],
      async (engine) => (await engine.start(asks, {}, { id: "asks" })).result(),
      async (engine) => {
        expect(await (await engine.answer("asks", name, { ok: true })).output()).toBe(true);
        expect(await engine.run(uses, { n: 1 })).toEqual({ n: 2 });
        const handle = await engine.start(emits, {});
        const told: unknown[] = [];
        for await (const event of handle.stream("custom")) told.push([event.node, event.value]);
        expect(told).toEqual([[name, 1]]);
      },
    );
  });

  test("a question of a state graph, over an answer and a failure", async () => {
    let fails = true;
    const asks = stateGraph("asks", { state: { said: append<string>() }, nodes: ["ask", "beside"] })
      .node(
        "ask",
        (_state, to, run) => {
          const answers = run.answers(name);
          if (answers.length < 2) return to.interrupt(name);
          run.emit(name, answers.length);
          if (fails) throw new Error("no");
          return to.write({ said: answers.map(({ ok }) => String(ok)).join(" ") });
        },
        { asks: keyed(name, { answer: Answer }) },
      )
      .node("beside", () => undefined)
      .entry("ask", "beside")
      .compile();
    const engine = await open({ backend: memory(), graphs: [asks] });
    const threads = threadsOf(engine, asks);
    await (await threads.start(name, {})).result();
    await (await threads.answer(name, name, { ok: true })).result();
    expect((await (await threads.answer(name, name, { ok: false })).result()).status).toBe("failed");
    fails = false;
    expect(await (await threads.start(name, null)).output()).toEqual({ said: ["true false"] });
    expect((await threads.state(name))?.thread).toBe(name);
  });
});

test.each(["constructor", "toString", "hasOwnProperty"])(
  "%s names a node and fields of a state graph",
  async (name) => {
    const Text = z.string().min(2);
    const seen: unknown[] = [];
    const flow = stateGraph("flow", {
      state: {
        ...keyed(name, Text),
        ...keyed(`${name}s`, append<string>()),
        valueOf: last(0),
        toLocaleString: merge<object>(),
      },
      nodes: [name, "then"],
    })
      .node(name as never, (state, to) => {
        seen.push((state as Record<string, unknown>)[name]);
        return to.write({ ...keyed(name, "ab"), ...keyed(`${name}s`, "c"), valueOf: 1 });
      })
      .node("then", (state) => void seen.push((state as Record<string, unknown>)[name]))
      .entry(name)
      .edge(name, "then")
      .compile({} as never) as never;
    const engine = await open({ backend: memory(), graphs: [flow] });
    const threads = threadsOf<Record<string, unknown>, object>(engine, flow);
    const expected = { ...keyed(name, "ab"), ...keyed(`${name}s`, ["c"]), valueOf: 1, toLocaleString: {} };
    expect(await (await threads.start("t", {})).output()).toEqual(expected);
    expect(seen).toEqual([undefined, "ab"]);
    await expect(threads.start("t", keyed(name, "a"))).rejects.toMatchObject({ code: "InvalidValue" });
    expect((await threads.history("t")).map(({ next }) => next)).toEqual([[], ["then"], [name], ["$start"]]);
  },
);

test("__proto__ is refused as a field and as a node of a state graph, and as a field of an update", async () => {
  const of = (state: object, nodes: readonly string[]) => stateGraph("g", { state, nodes } as never) as never;
  expect(() => of(keyed("__proto__", last(0)), ["a"])).toThrow("a field called");
  const builder = of({ n: last(0) }, ["__proto__"]) as { node: (name: string, body: () => void) => unknown };
  expect(() => builder.node("__proto__", () => undefined)).toThrow("cannot name a node");
  const flow = stateGraph("flow", { state: { n: last(0) }, nodes: ["a"] })
    .node("a", (_state, to) => to.write(keyed("__proto__", 1) as never))
    .compile();
  const engine = await open();
  const written = await (await engine.start(flow, {})).result();
  expect(written).toMatchObject({ status: "failed", errors: [{ code: "UnknownField" }] });
  await expect(engine.run(flow, keyed("__proto__", 1) as never)).rejects.toThrow("__proto__");
  await expect(engine.run(flow, keyed("constructor", 1) as never)).rejects.toThrow("constructor");
});

test("places, keys and filters of the store", async () => {
  const visit = op("visit", async ({ name }: { name: string }, { store }) => {
    await store.put([name], name, keyed(name, 1));
    const found = await store.search([name], { filter: keyed(name, 1) });
    return { value: (await store.get([name], name))?.value, found: found.map(({ key }) => key) };
  });
  const flow = graph("flow", (input: Ref<{ name: string }>) => {
    const { value, found } = visit({ name: input.name });
    return { value, found };
  });
  const engine = await open({ backend: memory() });
  for (const name of names) {
    const { value, found } = await engine.run(flow, { name });
    expect([own(value as object, name), found]).toEqual([1, [name]]);
  }
});

test("what is matched by such a name goes its way", async () => {
  type At = { readonly kind: "toString"; readonly n: number } | { readonly kind: "constructor"; readonly n: number };
  const flow = graph("flow", (input: Ref<{ at: At }>) =>
    match("at", input.at, "kind", { toString: ({ n }) => ({ text: n }), constructor: ({ n }) => ({ text: n }) }),
  );
  const engine = await open();
  expect(await engine.run(flow, { at: { kind: "constructor", n: 3 } })).toEqual({ text: 3 });
  const otherwise = engine.run(flow, { at: { kind: "valueOf", n: 3 } as never });
  await expect(otherwise).rejects.toThrow("valueOf");
});
