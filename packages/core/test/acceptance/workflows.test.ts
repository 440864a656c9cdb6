import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  append,
  CallError,
  collect,
  derive,
  each,
  graph,
  memory,
  op,
  race,
  stateGraph,
  workflow,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { VirtualClock } from "./support/clock.ts";
import { open } from "./support/engines.ts";
import { eventually } from "./support/gate.ts";

const Yes = z.object({ yes: z.boolean() });
let began: string[] = [];
const double = op("double", async ({ n }: { n: number }) => {
  began.push(`double ${n}`);
  return { n: n * 2 };
});
const refuse = op("refuse", ({ why }: { why: string }): { n: number } => {
  throw Object.assign(new RangeError(why), { code: "TooMuch", data: { limit: 3 } });
});
/** Settles when it is aborted. */
let aborted: string[] = [];
let hung = 0;
const hang = op(
  "hang",
  ({ name }: { name: string }, ctx) =>
    new Promise<{ n: number }>((_, reject) => {
      hung++;
      ctx.signal.addEventListener("abort", () => {
        aborted.push(name);
        reject(new Error("aborted"));
      });
    }),
);
const words = op("words", function* ({ text }: { text: string }) {
  for (const word of text.split(" ")) yield { word };
});

describe("calls", () => {
  test("what a workflow runs comes back to it, one call after the other", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, { n }: { n: number }) => {
      const once = await w.run(double, { n });
      const twice = await w.run(double, { n: once.n }, { name: "again" });
      return { n: twice.n, runId: w.runId };
    });
    const engine = await open({ check: checkInvariants });
    const handle = await engine.start(flow, { n: 3 });
    expect(await handle.result()).toMatchObject({
      status: "completed",
      output: { n: 12, runId: handle.runId },
      errors: [],
    });
  });

  test("ops, graphs, state graphs and workflows are all called alike, and streams are lists", async () => {
    const counts = graph("counts", (input: Ref<{ text: string }>) => {
      const word = words({ text: input.text });
      return { length: derive(word.word, (one) => one.length) };
    });
    const logs = stateGraph("logs", { state: { log: append<string>() }, nodes: ["note"] })
      .node("note", (_state, to) => to.write({ log: "noted" }))
      .compile();
    const inner = workflow(
      "inner",
      { uses: [double] },
      async (w, { n }: { n: number }) => (await w.run(double, { n })).n,
    );
    const outer = workflow("outer", { uses: [words, counts, logs, inner] }, async (w, { text }: { text: string }) => ({
      words: await w.run(words, { text }),
      counts: await w.run(counts, { text }),
      state: await w.run(logs, { log: "began" }),
      inner: await w.run(inner, { n: text.length }),
    }));
    const engine = await open({ check: checkInvariants });
    expect(await engine.run(outer, { text: "to be" })).toEqual({
      words: [{ word: "to" }, { word: "be" }],
      counts: { length: [2, 2] },
      state: { log: ["began", "noted"] },
      inner: 10,
    });
  });

  test("a graph that is called bounds what it does with its own items as it does by itself", async () => {
    let atOnce = 0;
    let most = 0;
    const busy = op("busy", async ({ n }: { n: number }) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce--;
      return { n };
    });
    const pages = graph("pages", (input: Ref<{ list: number[] }>) => ({ all: collect(busy({ n: each(input.list) })) }));
    const flow = workflow("flow", { uses: [pages] }, (w, list: { list: number[] }) => w.run(pages, list));
    const engine = await open();
    const { all } = await engine.run(flow, { list: [1, 2, 3] });
    expect([all.map(({ n }) => n), most]).toEqual([[1, 2, 3], 1]);
  });

  test("one that fails rejects with what failed, and a workflow that catches it goes on", async () => {
    const flow = workflow("flow", { uses: { refused: refuse } }, async (w, { why }: { why: string }) => {
      try {
        await w.run(refuse, { why });
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        const { name, code, message, node, path, attempts, data, error: all } = error;
        return { name, code, message, node, path, attempts, data, input: all.input };
      }
      return "nothing";
    });
    const engine = await open({ check: checkInvariants });
    for (const errors of ["record", "raise"] as const) {
      const result = await (await engine.start(flow, { why: "no" }, { errors })).result();
      expect(result).toMatchObject({
        status: "completed",
        output: {
          name: "RangeError",
          code: "TooMuch",
          message: "no",
          node: "refused",
          path: "flow/body[0]/refused",
          attempts: 1,
          data: { limit: 3 },
          input: { why: "no" },
        },
        errors: [{ node: "refused", code: "TooMuch", handled: true }],
      });
    }
  });

  test("one that nobody catches fails the workflow, and the run", async () => {
    const flow = workflow("flow", { uses: [refuse, double] }, async (w, { why }: { why: string }) => {
      await w.run(refuse, { why });
      return w.run(double, { n: 1 });
    });
    began = [];
    const engine = await open();
    const result = await (await engine.start(flow, { why: "no" })).result();
    expect(result).toMatchObject({
      status: "failed",
      errors: [
        { node: "refuse", handled: true },
        { node: "body", code: "TooMuch", type: "RangeError", message: "no", handled: false },
      ],
    });
    expect(began).toEqual([]);
  });

  test("what goes to a call is as it was when it was called, and may be changed afterwards", async () => {
    const size = op("size", ({ list }: { list: number[] }) => ({ size: list.length }));
    const flow = workflow("flow", { uses: [size] }, async (w, _input: {}) => {
      const list = [1];
      const first = w.run(size, { list });
      list.push(2);
      const second = w.run(size, { list });
      const sizes = [await first, await second];
      list.push(3);
      return { sizes: sizes.map((one) => one.size), list };
    });
    const engine = await open({ backend: memory() });
    expect(await engine.run(flow, {})).toEqual({ sizes: [1, 2], list: [1, 2, 3] });
  });

  test("an input that cannot be recorded rejects the call, naming the path", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) =>
      w.run(double, { n: (() => 1) as unknown as number }).catch((error: Error) => error.message),
    );
    const engine = await open({ backend: memory() });
    expect(await engine.run(flow, {})).toContain('the input of "double".n');
  });
});

describe("several at once", () => {
  test("w.all gives results in their order, so many at a time, whatever comes first", async () => {
    let open_ = 0;
    let most = 0;
    const wait = op("wait", async ({ turns }: { turns: number }) => {
      most = Math.max(most, ++open_);
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
      open_--;
      return { turns };
    });
    const flow = workflow("flow", { uses: [wait] }, async (w, { concurrency }: { concurrency: number }) =>
      w.all(
        [3, 1, 2].map((turns) => () => w.run(wait, { turns })),
        concurrency === 0 ? {} : { concurrency },
      ),
    );
    const engine = await open({ check: checkInvariants });
    expect(await engine.run(flow, { concurrency: 0 })).toEqual([{ turns: 3 }, { turns: 1 }, { turns: 2 }]);
    expect(most).toBe(3);
    most = 0;
    expect(await engine.run(flow, { concurrency: 2 })).toEqual([{ turns: 3 }, { turns: 1 }, { turns: 2 }]);
    expect(most).toBe(2);
  });

  test("when one of w.all fails no other begins, and those under way come to their end first", async () => {
    const slow = op("slow", async ({ n }: { n: number }) => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      began.push(`slow ${n} ended`);
      return { n };
    });
    const flow = workflow("flow", { uses: [slow, refuse, double] }, async (w, _input: {}) => {
      const calls = [() => w.run(slow, { n: 1 }), () => w.run(refuse, { why: "no" }), () => w.run(double, { n: 3 })];
      const message = await w.all(calls, { concurrency: 2 }).catch((error: Error) => error.message);
      return { message, ended: await w.run(double, { n: 4 }) };
    });
    began = [];
    const engine = await open();
    expect(await engine.run(flow, {})).toEqual({ message: "no", ended: { n: 8 } });
    expect(began).toEqual(["slow 1 ended", "double 4"]);
  });

  test("Promise.all and Promise.race work over calls, and what lost a race is ended with the workflow", async () => {
    const flow = workflow(
      "flow",
      { uses: [double, hang], asks: { ok: { answer: Yes } } },
      async (w, { n }: { n: number }) => {
        const [a, b] = await Promise.all([w.run(double, { n }), w.run(double, { n: n + 1 })]);
        const won = await Promise.race([
          w.run(hang, { name: "lost" }),
          w.interrupt("ok", "sure?"),
          w.run(double, { n: a.n + b.n }),
        ]);
        return won;
      },
    );
    aborted = [];
    const engine = await open({ check: checkInvariants });
    const handle = await engine.start(flow, { n: 1 });
    expect(await handle.result()).toMatchObject({ status: "completed", output: { n: 12 } });
    expect([aborted, handle.interrupts()]).toEqual([["lost"], []]);
  });

  test("when the body fails, what it left open is ended, and nobody is asked any more", async () => {
    const flow = workflow(
      "flow",
      { uses: [hang, refuse], asks: { ok: { answer: Yes } } },
      async (w, { why }: { why: string }) =>
        Promise.all([w.run(hang, { name: why }), w.interrupt("ok"), w.sleep("1d"), w.run(refuse, { why })]),
    );
    const engine = await open({ check: checkInvariants });
    for (const errors of ["record", "raise"] as const) {
      aborted = [];
      const handle = await engine.start(flow, { why: errors }, { errors });
      const result = await handle.result();
      expect(result).toMatchObject({ status: "failed", errors: [{ node: "refuse", handled: true }, { node: "body" }] });
      expect([aborted, handle.interrupts()]).toEqual([[errors], []]);
    }
  });

  test("more calls at once than a stream has room for", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, { count }: { count: number }) => {
      const all = await Promise.all(Array.from({ length: count }, (_, n) => w.run(double, { n })));
      return all.reduce((sum, { n }) => sum + n, 0);
    });
    const engine = await open();
    expect(await engine.run(flow, { count: 1_500 })).toBe(1_500 * 1_499);
  });
});

describe("waiting", () => {
  test("S12 a sleep of 30 days is one timer", async () => {
    const clock = new VirtualClock();
    const flow = workflow("flow", {}, async (w, _input: {}) => {
      const before = w.now();
      await w.sleep("30d");
      return w.now() - before;
    });
    const engine = await open({ clock, check: checkInvariants });
    const running = engine.run(flow, {});
    await clock.advance(30 * 86_400_000);
    expect(await running).toBe(30 * 86_400_000);
  });

  test("a question is asked under its name, checked, and answered to the body", async () => {
    const flow = workflow(
      "flow",
      { asks: { ok: { answer: Yes, title: "Well?" } } },
      async (w, { text }: { text: string }) => {
        const { yes } = await w.interrupt("ok", { text });
        return yes ? "sent" : "dropped";
      },
    );
    const engine = await open({ check: checkInvariants });
    const handle = await engine.start(flow, { text: "hello" });
    expect(await handle.result()).toMatchObject({ status: "interrupted" });
    expect(handle.interrupts()).toMatchObject([
      { node: "ok", path: "flow/body[0]/ok", payload: { text: "hello" }, title: "Well?" },
    ]);
    await expect(handle.answer("ok", { yes: "maybe" })).rejects.toMatchObject({ code: "InvalidValue" });
    await handle.answer("ok", { yes: true });
    expect(await handle.result()).toMatchObject({ status: "completed", output: "sent" });
  });

  test("a question that nobody answers gives its default, or rejects", async () => {
    const clock = new VirtualClock();
    const flow = workflow(
      "flow",
      {
        asks: {
          lenient: { answer: Yes, timeout: "1m", default: { yes: false } },
          strict: { answer: Yes, timeout: "1m" },
        },
      },
      async (w, _input: {}) => {
        const first = await w.interrupt("lenient");
        const second = await w.interrupt("strict").catch((error: CallError) => error.code);
        return { first, second };
      },
    );
    const engine = await open({ clock });
    const handle = await engine.start(flow, {});
    for (const question of ["lenient", "strict"]) {
      expect(await handle.result()).toMatchObject({ status: "interrupted", interrupts: [{ node: question }] });
      await clock.advance(61_000);
    }
    expect(await handle.result()).toMatchObject({ output: { first: { yes: false }, second: "InterruptTimeout" } });
  });

  test("what it emits goes out under its name, once", async () => {
    const flow = workflow("flow", { emits: ["progress"], uses: [double] }, async (w, _input: {}) => {
      w.emit("progress", { done: 1 });
      await w.run(double, { n: 1 });
      w.emit("progress", { done: 2 });
    });
    const engine = await open();
    const handle = await engine.start(flow, {});
    const values: unknown[] = [];
    for await (const { node, value } of handle.stream("custom")) values.push([node, value]);
    expect(values).toEqual([
      ["progress", { done: 1 }],
      ["progress", { done: 2 }],
    ]);
    expect(await handle.result()).toMatchObject({ status: "completed", output: undefined });
  });

  test("now stands still between two calls that come back; random and uuid are of their kinds", async () => {
    const flow = workflow("flow", { uses: [double] }, async (w, _input: {}) => {
      const times = [w.now(), w.now()];
      await w.run(double, { n: 1 });
      const numbers = [w.random(), w.random()];
      return { times, numbers, ids: [w.uuid(), w.uuid()] };
    });
    const engine = await open();
    const { times, numbers, ids } = await engine.run(flow, {});
    expect(times[0]).toBe(times[1]);
    expect(numbers.every((one) => one >= 0 && one < 1) && numbers[0] !== numbers[1]).toBe(true);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
    expect((await engine.run(flow, {})).ids).not.toEqual(ids);
  });
});

describe("in graphs", () => {
  const ask = workflow(
    "ask",
    { uses: [double, hang], asks: { ok: { answer: Yes } } },
    async (w, { n }: { n: number }) => {
      if (n === 0) await w.run(hang, { name: "in the workflow" });
      return (await w.run(double, { n })).n;
    },
  );

  test("a workflow is a node: its input is wired and validated, its output is read", async () => {
    const checked = workflow(
      "checked",
      { input: z.object({ n: z.coerce.number() }), uses: [double] },
      async (w, { n }) => ({
        n: (await w.run(double, { n })).n,
      }),
    );
    const flow = graph("flow", (input: Ref<{ list: string[] }>) => {
      const one = checked({ n: each(input.list) });
      return { all: collect(one.n) };
    });
    const engine = await open({ check: checkInvariants });
    expect(await engine.run(flow, { list: ["1", "2", "3"] })).toEqual({ all: [2, 4, 6] });
  });

  test("when its time is over, its calls are ended and nothing of it is left", async () => {
    const clock = new VirtualClock();
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      n: ask({ n: input.n }, { timeout: { total: "1s" } }),
    }));
    aborted = [];
    const engine = await open({ clock, check: checkInvariants });
    const running = engine.start(flow, { n: 0 }).then((handle) => handle.result());
    await clock.advance(1_500);
    expect(await running).toMatchObject({ status: "failed", errors: [{ node: "ask", code: "Timeout" }] });
    expect(aborted).toEqual(["in the workflow"]);
  });

  test("one that loses a race is ended, and whoever waits in it waits no more", async () => {
    const fast = op("fast", async ({ n }: { n: number }) => {
      await eventually("the other has begun", () => hung > 0);
      return { n };
    });
    const flow = graph("flow", (input: Ref<{ n: number }>) => ({
      won: race("first", { slow: () => ask({ n: 0 }), fast: () => fast({ n: input.n }).n }),
    }));
    aborted = [];
    hung = 0;
    const engine = await open({ check: checkInvariants });
    expect(await engine.run(flow, { n: 4 })).toEqual({ won: 4 });
    expect(aborted).toEqual(["in the workflow"]);
  });

  test("what goes on behind a call that came back, comes to its end", async () => {
    const report = op("report", async ({ n }: { n: number }) => {
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      began.push(`reported ${n}`);
    });
    const noted = graph("noted", (input: Ref<{ n: number }>) => {
      report({ n: input.n });
      return { n: double({ n: input.n }).n };
    });
    const flow = workflow("flow", { uses: [noted] }, (w, input: { n: number }) => w.run(noted, input));
    began = [];
    const engine = await open({ check: checkInvariants });
    expect(await engine.run(flow, { n: 2 })).toEqual({ n: 4 });
    expect(began).toEqual(["double 2", "reported 2"]);
  });

  test("a cancelled run ends its calls; the body is not heard of again", async () => {
    let left = 0;
    const waits = workflow("waits", { uses: [hang] }, async (w, _input: {}) => {
      try {
        await w.run(hang, { name: "cancelled" });
      } finally {
        left++;
      }
    });
    aborted = [];
    hung = 0;
    const engine = await open({ check: checkInvariants });
    const handle = await engine.start(waits, {});
    await eventually("the call is under way", () => hung > 0);
    await handle.cancel("enough");
    expect(await handle.result()).toMatchObject({ status: "cancelled" });
    expect([aborted, left]).toEqual([["cancelled"], 0]);
  });
});
