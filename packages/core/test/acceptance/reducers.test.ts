import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  fallback,
  graph,
  last,
  max,
  merge,
  messagesById,
  op,
  orderedBy,
  overwrite,
  push,
  read,
  when,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open, undisturbed } from "./support/engines.ts";

const check = { check: checkInvariants };
let ran: number[] = [];

/** Takes `turns` turns of the event loop, so that a test decides who is first. */
const slowly = op("slowly", async ({ i, turns }: { i: number; turns: number }) => {
  ran.push(i);
  for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
  return { i };
});

const arrival = cell("arrival", append<number>());
const sorted = cell(
  "sorted",
  orderedBy<number>((i) => i),
);
const writers = graph("writers", (input: Ref<{ turns: number[] }>) => {
  const item = each(
    derive(input.turns, (turns) => turns.map((n, i) => ({ i, n }))),
    { name: "items" },
  );
  const done = slowly({ i: item.i, turns: item.n }, { parallel: 8 });
  const pushed = [push(arrival, done.i), push(sorted, done.i)];
  return { arrival: read(arrival, { after: pushed }), sorted: read(sorted, { after: pushed }) };
});

test("R03 readers of an ordered cell get the same, whichever of its writers was first", async () => {
  const engine = await open(check);
  for (const turns of [
    [1, 20, 40, 60],
    [60, 1, 40, 20],
    [60, 40, 20, 1],
  ]) {
    const order = turns.map((n, i) => ({ n, i })).toSorted((a, b) => a.n - b.n);
    expect(await engine.run(writers, { turns })).toEqual({ arrival: order.map(({ i }) => i), sorted: [0, 1, 2, 3] });
  }
});

test("R03 after a crash behind any record the updates that were folded stand in the order they arrived", async () => {
  const turns = [30, 1, 60, 15];
  ran = [];
  const { result } = await crashEverywhere(
    writers,
    { turns },
    ({ cut, result: after }) => {
      const again = new Set(ran);
      ran = [];
      const { arrival: order, sorted: inOrder } = (after as { output: { arrival: number[]; sorted: number[] } }).output;
      const stood = [1, 3, 0, 2].filter((i) => !again.has(i));
      expect([cut, order.slice(0, stood.length), order.length, inOrder]).toEqual([cut, stood, 4, [0, 1, 2, 3]]);
    },
    check,
  );
  ran = [];
  expect(result).toMatchObject({ output: { arrival: [1, 3, 0, 2] } });
});

const log = cell("log", append<string>());
const say = op("say", async ({ word }: { word: string }) => ({ word }));

test("R04 an overwrite bypasses the reducer once, and later pushes fold again, over a crash at any record", async () => {
  const g = graph("compact", (input: Ref<{ words: string[] }>) => {
    const first = push(log, each(input.words));
    const all = read(log, { after: [first] });
    const short = derive(all, (words) => [words.join("+")]);
    const compacted = push(log, overwrite(short));
    const between = read(log, { after: [compacted] });
    const later = push(log, say({ word: "later" }, { after: [between] }).word);
    return { all, between, log: read(log, { after: [later] }) };
  });
  const output = { all: ["a", "b", "c"], between: ["a+b+c"], log: ["a+b+c", "later"] };
  const survey = await crashEverywhere(
    g,
    { words: ["a", "b", "c"] },
    ({ cut, result }) =>
      expect([cut, result]).toEqual([cut, { status: "completed", output, errors: [], cells: expect.any(Object) }]),
    check,
  );
  expect(survey.result).toMatchObject({ output });
});

test("R04 what overwrites is the run's own: pushes into it leave the author's value and other runs alone", async () => {
  const fresh: string[] = ["start"];
  const g = graph("fresh", (input: Ref<{ word: string }>) => {
    const reset = push(log, overwrite(fresh));
    const more = push(log, say({ word: input.word }, { after: [reset] }).word);
    return { log: read(log, { after: [more] }) };
  });
  const engine = await open(check);
  expect(await engine.run(g, { word: "x" })).toEqual({ log: ["start", "x"] });
  expect(await engine.run(g, { word: "y" })).toEqual({ log: ["start", "y"] });
  expect(fresh).toEqual(["start"]);
});

test("R04 cells of every kind can be overwritten: what is folded later starts from there", async () => {
  const most = cell("most", max());
  const table = cell("table", merge<Record<string, number>>({ a: 1 }));
  const g = graph("all", (input: Ref<{ n: number }>) => {
    const high = push(most, input.n);
    const low = push(most, overwrite(derive(read(most, { after: [high] }), () => 1)));
    const again = push(
      most,
      derive(read(most, { after: [low] }), (n) => (n ?? 0) + 1),
    );
    const full = push(table, { b: 2 });
    const empty = push(table, overwrite(derive(read(table, { after: [full] }), () => ({}))));
    const refilled = push(
      table,
      derive(read(table, { after: [empty] }), () => ({ c: 3 })),
    );
    return { most: read(most, { after: [again] }), table: read(table, { after: [refilled] }) };
  });
  const { result } = await undisturbed(g, { n: 100 }, check);
  expect(result).toEqual({
    status: "completed",
    output: { most: 2, table: { c: 3 } },
    errors: [],
    cells: expect.any(Object),
  });
});

test("messages with a known id are replaced where they stand, and others come to the end", async () => {
  interface Message {
    readonly id?: string;
    readonly content: string;
  }
  const conversation = cell("conversation", messagesById<Message>());
  const g = graph("chat", (input: Ref<{ updates: (Message | Message[])[] }>) => {
    const pushed = push(conversation, each(input.updates));
    return { messages: read(conversation, { after: [pushed] }) };
  });
  const updates = [
    { id: "1", content: "hello" },
    [{ content: "no id" }, { id: "2", content: "a" }],
    { id: "2", content: "ab" },
    { id: "1", content: "hello!" },
    { content: "no id" },
  ];
  const { result } = await undisturbed(g, { updates }, check);
  expect(result).toMatchObject({
    output: {
      messages: [
        { id: "1", content: "hello!" },
        { content: "no id" },
        { id: "2", content: "ab" },
        { content: "no id" },
      ],
    },
  });
  expect(updates[0]).toEqual({ id: "1", content: "hello" });
});

test("hostile keys of a merge are fields like others and reach no prototype", async () => {
  const record = cell("record", merge<Record<string, unknown>>());
  const g = graph("hostile", (input: Ref<{ updates: Record<string, unknown>[] }>) => {
    const pushed = push(record, each(input.updates));
    const merged = read(record, { after: [pushed] });
    return { merged, reached: derive(merged, (all) => all["polluted"]) };
  });
  const updates = [
    JSON.parse('{ "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 2 } } }'),
    JSON.parse('{ "__proto__": { "polluted": 3 }, "toString": "text" }'),
  ] as Record<string, unknown>[];
  await crashEverywhere(
    g,
    { updates },
    ({ result }) => {
      const { merged, reached } = (result as { output: { merged: object; reached: unknown } }).output;
      expect(reached).toBeUndefined();
      expect(Object.keys(merged).toSorted()).toEqual(["__proto__", "constructor", "toString"]);
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
      expect(Object.getOwnPropertyDescriptor(merged, "__proto__")?.value).toEqual({ polluted: 3 });
    },
    check,
  );
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("a key that cannot be sorted by, or that throws, is the read's failure and skips what reads it", async () => {
  const bad = cell(
    "bad",
    orderedBy<{ at: number }>((element) => {
      if (element.at > 1) throw new RangeError("too late");
      return (element.at === 1 ? null : element.at) as number;
    }),
  );
  const g = graph("keys", (input: Ref<{ ats: number[] }>) => {
    const pushed = push(
      bad,
      derive(each(input.ats), (at) => ({ at })),
    );
    return {
      word: say({ word: derive(read(bad, { after: [pushed] }), String) }).word,
      ok: say({ word: "ok" }, { name: "ok" }).word,
    };
  });
  const engine = await open(check);
  for (const [ats, message] of [
    [[0, 1], /sorts by numbers and texts, and a key is null/],
    [[0, 2], /too late/],
  ] as const) {
    const result = await (await engine.start(g, { ats: [...ats] })).result();
    expect(result.status).toBe("failed");
    expect(result.errors).toMatchObject([{ code: "ReducerFailed", message: expect.stringMatching(message) as string }]);
  }
});

test("sorted by several parts, numbers before texts and texts by code units", async () => {
  const reducer = orderedBy<(string | number | bigint)[]>((parts) => parts);
  const list = [["b"], ["a", 2], ["a", 10], [3], [20n], ["Z"], ["a"]];
  expect(reducer.view?.(list)).toEqual([[3], [20n], ["Z"], ["a"], ["a", 2], ["a", 10], ["b"]]);
});

test("R02 writers in exclusive arms, and in a fallback's body and handler, are in order", async () => {
  const status = cell("status", last("new"));
  const g = graph("arms", (input: Ref<{ go: boolean }>) => {
    const w = when(
      "w",
      input.go,
      () => ({ done: push(status, say({ word: "then" }).word) }),
      () => ({ done: push(status, say({ word: "else" }).word) }),
    );
    const f = fallback(
      "f",
      () => ({
        done: push(status, say({ word: "body" }, { after: [w.done] }).word),
        broken: derive(w.done, () => {
          throw new Error("broken");
        }),
      }),
      () => ({ done: push(status, say({ word: "handler" }, { after: [w.done] }).word), broken: 1 }),
    );
    return { before: read(status, { after: [w.done], allowRace: true }), status: read(status, { after: [f.done] }) };
  });
  const engine = await open(check);
  for (const go of [true, false]) expect(await engine.run(g, { go })).toMatchObject({ status: "handler" });
});

test("R02 two writers of one arm are not in order because a third one is exclusive to both", () => {
  const status = cell("status", last("new"));
  expect(() =>
    graph("pairs", (input: Ref<{ go: boolean; word: string }>) => {
      when(
        "w",
        input.go,
        () => {
          push(status, say({ word: "first" }, { name: "first" }).word);
          return when("inner", input.go, () => ({ a: push(status, say({ word: "second" }, { name: "second" }).word) }));
        },
        () => ({ a: push(status, say({ word: "third" }, { name: "third" }).word) }),
      );
      return {};
    }),
  ).toThrow(/nothing orders the pushes of w\/then\/first\.word and w\/then\/inner\/then\/second\.word/);
});

test("an overwrite that nothing orders with the other pushes is refused, unless the cell allows the race", () => {
  const build = (into: typeof log) => () =>
    graph("g", () => {
      const first = push(into, say({ word: "first" }, { name: "first" }).word);
      const reset = push(into, overwrite([say({ word: "reset" }, { name: "reset" }).word] as never));
      return { log: read(into, { after: [first, reset] }) };
    });
  expect(build(log)).toThrow(/cell log is overwritten, but nothing orders the pushes of first\.word and reset/);
  expect(build(cell("racy", append<string>(), { allowRace: true }))).not.toThrow();
  expect(() =>
    graph("g", (input: Ref<{ words: string[][] }>) => {
      push(log, overwrite(each(input.words)));
      return {};
    }),
  ).toThrow(/cell log is overwritten, but the push of input\.words runs per item of input.words/);
  expect(() =>
    graph("g", (input: Ref<{ words: string[] }>) => {
      const pushed = push(log, each(input.words));
      const seen = collect(say({ word: each(input.words) }, { after: [pushed] }).word);
      return { done: push(log, overwrite(seen)) };
    }),
  ).not.toThrow();
});

test("a merge of ever more keys and messages of ever new ids take time in proportion to them", async () => {
  const count = 20_000;
  const facts = cell("facts", merge<Record<string, number>>());
  const talk = cell("talk", messagesById<{ id: string; n: number }>());
  const g = graph("many", (input: Ref<{ ns: number[] }>) => {
    const n = each(input.ns);
    return {
      facts: read(facts, {
        after: [
          push(
            facts,
            derive(n, (k) => ({ [`k${k % count}`]: k })),
          ),
        ],
      }),
      talk: read(talk, {
        after: [
          push(
            talk,
            derive(n, (k) => ({ id: `m${k % count}`, n: k })),
          ),
        ],
      }),
    };
  });
  const engine = await open(undefined);
  const { facts: all, talk: said } = await engine.run(g, { ns: Array.from({ length: count + 5 }, (_, k) => k) });
  expect(Object.keys(all)).toHaveLength(count);
  expect([all["k0"], all["k4"], all["k5"]]).toEqual([count, count + 4, 5]);
  expect(said).toHaveLength(count);
  expect(said.slice(0, 6).map(({ n }) => n)).toEqual([count, count + 1, count + 2, count + 3, count + 4, 5]);
});
