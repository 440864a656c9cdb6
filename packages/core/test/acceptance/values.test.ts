import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, derive, each, graph, memory, op, reduce, type Ref } from "../../src/index.ts";
import { sqlite } from "../../src/node/index.ts";
import { difference } from "../journal/codec/same.ts";
import { afterCrash, crashEverywhere, open, undisturbed } from "./support/engines.ts";
import { effects, folder } from "./support/files.ts";
import { eventually, forever } from "./support/gate.ts";
import { valueMatrix } from "./support/value-matrix.ts";

const names = Object.keys(valueMatrix);

let alive = false;
const seen = new Map<string, unknown>();
const made: Record<string, number> = {};

const make = op("make", async ({ name }: { name: string }) => {
  made[name] = (made[name] ?? 0) + 1;
  return { name, value: valueMatrix[name]?.() };
});
const items = op("items", async function* ({ names: list }: { names: readonly string[] }) {
  for (const name of list) yield { name, value: valueMatrix[name]?.() };
});
const look = op("look", async ({ name, value }: { name: string; value: unknown }, ctx) => {
  if (!alive) return forever();
  seen.set(`${ctx.node} ${name}`, value);
  return { value };
});
const kinds = graph("kinds", (input: Ref<{ names: readonly string[] }>) => {
  const m = make({ name: each(input.names) }, { parallel: 200 });
  const i = items({ names: input.names });
  return {
    outputs: collect(look({ name: m.name, value: m.value }, { parallel: 200, name: "lookOutput" }).value),
    frames: collect(look({ name: i.name, value: i.value }, { parallel: 200, name: "lookFrame" }).value),
  };
});

test("R24 values of every kind read back identical from a real SQLite journal after a resume: op outputs, items of a generator, and the run's output", async () => {
  const file = join(folder(), "runs.db");
  const first = await open({ backend: sqlite(file, { synchronous: "off" }) });
  const handle = await first.start(kinds, { names }, { id: "r" });
  handle.result().catch(() => undefined);
  await eventually(
    "all values are durable",
    async () =>
      (await first.get("r"))?.finished["make"] === names.length && (await first.get("r"))?.finished["items"] === 1,
  );
  await first.close();

  alive = true;
  const second = await open({ backend: sqlite(file, { synchronous: "off" }), graphs: [kinds] });
  const result = await second.recovered[0]!.result();
  // Not the whole result: comparing it would walk along four billion holes.
  expect([result.status, ...result.errors]).toEqual(["completed"]);
  const stored = (await second.get("r"))?.output as { outputs: unknown[]; frames: unknown[] };
  for (const [at, name] of names.entries()) {
    const expected = valueMatrix[name]?.();
    expect(made[name], `bodies of ${name}`).toBe(1);
    for (const node of ["lookOutput", "lookFrame"])
      expect(
        difference(withoutStack(expected), withoutStack(seen.get(`${node} ${name}`))),
        `${node}: ${name}`,
      ).toBeUndefined();
    expect(
      difference(withoutStack(expected), withoutStack(stored.outputs[at])),
      `the run's output: ${name}`,
    ).toBeUndefined();
    expect(
      difference(withoutStack(expected), withoutStack(stored.frames[at])),
      `the run's output: ${name}`,
    ).toBeUndefined();
  }
});

/** Errors made at two times have two stacks. */
function withoutStack(value: unknown): unknown {
  if (value instanceof Error && value.stack !== undefined) {
    value.stack = "";
    for (const inner of [value.cause, ...(value instanceof AggregateError ? value.errors : [])]) withoutStack(inner);
  } else if (Array.isArray(value)) {
    // Not forEach: one of the arrays has four billion holes.
    for (const inner of Object.values(value)) withoutStack(inner);
  }
  return value;
}

test("R24 the run's input comes back identical after a crash", async () => {
  const input = {
    map: new Map<unknown, unknown>([[1n, new Date(5)]]),
    nothing: undefined,
    minusZero: -0,
    set: new Set([NaN]),
    bytes: new Uint8Array([1, 2]),
  };
  const got: unknown[] = [];
  const read = op("read", async (value: { all: typeof input }) => {
    got.push(value.all);
    return { ok: true };
  });
  const flow = graph("flow", (all: Ref<typeof input>) => ({ ok: read({ all }).ok }));
  const { recording } = await undisturbed(flow, input);
  await afterCrash(recording, 1, flow);
  expect(got).toHaveLength(2);
  for (const value of got) expect(difference(input, value)).toBeUndefined();
});

class Money {
  amount = 1;
}

test.each([
  ["a function", () => ({ user: { onClick: () => undefined } }), "output.user.onClick: function"],
  ["a symbol", () => ({ tags: [1, Symbol("x")] }), "output.tags[1]: symbol"],
  ["a class instance", () => ({ price: new Money() }), "output.price: instance of Money"],
  ["a promise", () => ({ later: Promise.resolve(1) }), "output.later: instance of Promise"],
  [
    "an object with toJSON",
    () => ({
      at: new (class Moment {
        toJSON() {
          return 1;
        }
      })(),
    }),
    "output.at: instance of Moment with toJSON()",
  ],
  [
    "a cycle",
    () => {
      const a: Record<string, unknown> = {};
      a["self"] = { a };
      return a;
    },
    "output.self.a: cycle back to",
  ],
  [
    "something in a Map",
    () => ({ byId: new Map([["k", new WeakMap()]]) }),
    'output.byId.get("k"): instance of WeakMap',
  ],
])(
  "R24 an output with %s fails its op naming op and path, is not tried again, and the others go on",
  async (_name, value, message) => {
    const ran = effects();
    const bad = op("bad", { retry: { attempts: 5, on: () => true } }, async ({ n }: { n: number }) => {
      ran.add(`bad ${n}`);
      return (n === 1 ? value() : { fine: n }) as { fine: number };
    });
    const good = op("good", async ({ n }: { n: number }) => ({ n: n * 2 }));
    const flow = graph("flow", (input: Ref<{ xs: number[] }>) => {
      const x = each(input.xs);
      return { bad: collect(bad({ n: x }).fine, { errors: "skip" }), good: collect(good({ n: x }).n) };
    });
    const engine = await open({ backend: memory() });
    const result = await (await engine.start(flow, { xs: [0, 1, 2] })).result();
    expect(result).toMatchObject({ status: "completed", output: { bad: [0, 2], good: [0, 2, 4] } });
    expect(result.errors).toMatchObject([
      { node: "bad", path: "flow/input.xs[1]/bad", code: "Unencodable", attempts: 1, count: 1 },
    ]);
    expect(result.errors[0]?.message).toContain(message);
    expect(ran.lines()).toEqual(["bad 0", "bad 1", "bad 2"]);
  },
);

test("R24 an unencodable item of a generator fails the generator behind the items before it", async () => {
  const source = op("source", async function* (_input: { n: number }) {
    const plain: unknown = 1;
    yield { v: plain };
    yield { v: () => undefined };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({
    all: collect(source({ n: input.n }).v, { errors: "settle" }),
  }));
  const engine = await open({ backend: memory() });
  const result = await (await engine.start(flow, { n: 1 })).result();
  expect(result).toMatchObject({
    output: {
      all: [
        { ok: true, value: 1 },
        { ok: false, error: { node: "source", code: "Unencodable" } },
      ],
    },
  });
});

test("R24 an unencodable input is refused by start, naming its path, and leaves no run behind", async () => {
  const flow = graph("flow", (input: Ref<{ call: unknown }>) => ({ call: input.call }));
  const engine = await open({ backend: memory() });
  await expect(engine.start(flow, { call: () => undefined }, { id: "r" })).rejects.toMatchObject({
    code: "Unencodable",
    message: expect.stringContaining("call: function"),
  });
  expect(await engine.get("r")).toBeUndefined();
});

test("R24 a derived value that cannot be encoded does not turn a completed run into one whose stored output is silently something else", async () => {
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ call: derive(input.n, (value) => () => value) }));
  const engine = await open({ backend: memory() });
  const handle = await engine.start(flow, { n: 1 }, { id: "r" });
  const result = await handle.result();
  const info = await engine.get("r");
  expect(result.status).toBe("failed");
  expect(info).toMatchObject({ status: "failed", errors: [{ code: "Unencodable" }] });
});

test("R24 decoding runs no code: setters, constructors and toJSON that were planted meanwhile are not called", async () => {
  const value = {
    type: "constructor",
    lc: 1,
    id: ["danger"],
    danger: 1,
    nested: new Map<unknown, unknown>([["danger", { danger: [2] }]]),
    __proto__key: JSON.parse('{"__proto__":{"danger":3}}') as unknown,
  };
  const source = op("source", async (_input: { n: number }) => ({ value: value as unknown }));
  const got: unknown[] = [];
  const take = op("take", async (input: { value: unknown }) => {
    got.push(input.value);
    return { ok: true };
  });
  const flow = graph("flow", (input: Ref<{ n: number }>) => ({ ok: take({ value: source({ n: input.n }).value }).ok }));
  const { recording } = await undisturbed(flow, { n: 1 });
  const called: string[] = [];
  const trap: PropertyDescriptor = {
    configurable: true,
    set: () => void called.push("setter"),
    get: () => void called.push("getter"),
  };
  // oxlint-disable-next-line no-extend-native -- planted on purpose, and taken away below
  Object.defineProperty(Object.prototype, "danger", trap);
  try {
    expect((await afterCrash(recording, 2, flow)).status).toBe("completed");
  } finally {
    delete (Object.prototype as { danger?: unknown }).danger;
  }
  expect(called).toEqual([]);
  expect(difference(value, got[1])).toBeUndefined();
});

test("a reduce that settles is given every item, failed ones as errors, and the failure of the stream as the last", async () => {
  const make = op("make", async function* ({ n }: { n: number }) {
    for (let i = 0; i < n; i++) yield { i };
    throw new Error("no more");
  });
  const odd = op("odd", async ({ i }: { i: number }) => {
    if (i % 2 === 0) throw new Error(`${i} is even`);
    return { i };
  });
  const g = graph("g", (input: Ref<{ n: number }>) => {
    const { i } = odd({ i: make({ n: input.n }).i }, { parallel: 3 });
    return {
      said: reduce("said", i, [] as string[], (all, item) => [...all, item.ok ? `${item.value}` : item.error.message], {
        errors: "settle",
      }),
    };
  });
  const survey = await crashEverywhere(g, { n: 3 }, ({ result }) =>
    expect(result).toMatchObject({ status: "completed", output: { said: ["0 is even", "1", "2 is even", "no more"] } }),
  );
  expect(survey.result.errors.map(({ handled }) => handled)).toEqual([true, true]);
});
