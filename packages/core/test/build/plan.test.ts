import { expect, test } from "vitest";
import { collect, derive, each, filter, graph, op, orElse, present, reduce, text, type Ref } from "../../src/index.ts";
import { named, ofKind, plan, sketch } from "./support.ts";
import { SlotKind } from "../../src/model/plan.ts";

const list = op("list", async function* (_i: { since: string }) {
  yield { path: "p" };
});
const parse = op("parse", async (_i: { path: string }) => ({ text: "t", valid: true as boolean, pages: ["p"] }));
const index = op("index", async (_i: { path: string; text: string }) => ({ chunks: 3 }));
const mail = op("mail", async (_i: { body: string }) => ({}));

const nightly = graph("nightly", (input: Ref<{ since: string }>) => {
  const doc = list({ since: input.since });
  const parsed = parse({ path: doc.path }, { parallel: 8 });
  const good = filter(parsed, parsed.valid);
  const indexed = index({ path: doc.path, text: good.text });
  const rows = collect({ path: doc.path, chunks: indexed.chunks }, { errors: "settle" });
  mail({ body: derive(rows, (r) => String(r.length)) }, { after: [indexed] });
  return { rows };
});

test("a pipeline over a generator becomes slots in the order they were written, in the scope of their inputs", () => {
  expect(sketch(plan(nightly))).toEqual([
    "0 input input @0",
    "1 op list @0 <- 0",
    "2 item @1",
    "3 op parse @1 <- 2",
    "4 filter @1 <- 3",
    "5 op index @1 <- 2 4",
    "6 record @1 <- 2 5",
    "7 collect @0 <- *6",
    "8 derive @0 <- 7",
    "9 end @0 <- *5",
    "10 op mail @0 <- 8 9!",
    "11 record @0 <- 7",
  ]);
});

test("scopes count what is missing, list what is ready, and look up what lives further out", () => {
  const { scopes } = plan(nightly);
  expect(scopes).toEqual([
    {
      id: 0,
      kind: "run",
      name: "",
      block: -1,
      ephemeral: -1,
      arm: 0,
      parent: -1,
      depth: 0,
      stream: -1,
      slots: [0, 1, 7, 8, 9, 10, 11],
      missing: [1, 1, 1, 1, 1, 2, 1],
      outer: [],
      ready: [],
    },
    {
      id: 1,
      kind: "item",
      name: "",
      block: -1,
      ephemeral: -1,
      arm: 0,
      parent: 0,
      depth: 1,
      stream: 0,
      slots: [2, 3, 4, 5, 6],
      missing: [1, 1, 1, 2, 2],
      outer: [],
      ready: [],
    },
  ]);
});

test("adjacency: consumers by local index with the after mark, watchers by id", () => {
  const built = plan(nightly);
  expect(built.slots.map((slot) => slot.consumers)).toEqual([
    [2],
    [],
    [2, 6, 8],
    [4],
    [6],
    [8],
    [],
    [6, 12],
    [10],
    [11],
    [],
    [],
  ]);
  expect(named(built, "index").watchers).toEqual([9]);
  expect(built.slots[6]!.watchers).toEqual([7]);
  expect(built.slots[7]!.collect).toEqual({ stream: 0, watch: 6, errors: "settle", initial: null, index: 0 });
});

test("streams know their source, segment, lanes and collectors", () => {
  expect(plan(nightly).streams).toEqual([
    {
      id: 0,
      source: 1,
      itemScope: 1,
      ephemeral: false,
      segment: "list",
      buffer: 1024,
      onFull: "wait",
      collectors: [7, 9],
      passedOn: false,
      lanes: [3, 5],
    },
  ]);
  const built = plan(nightly);
  expect(
    [named(built, "parse"), named(built, "index"), named(built, "mail")].map(({ lane, laneCapacity }) => [
      lane,
      laneCapacity,
    ]),
  ).toEqual([
    [0, 8],
    [1, 1],
    [-1, 1],
  ]);
});

test("templates read fields; those of an op without output schema must exist", () => {
  expect(named(plan(nightly), "index").inputs).toEqual({
    type: "object",
    keys: ["path", "text"],
    values: [
      { type: "source", source: { slot: 2, path: ["path"], strict: true } },
      { type: "source", source: { slot: 4, path: ["text"], strict: true } },
    ],
  });
  expect(named(plan(nightly), "list").inputs).toEqual({
    type: "object",
    keys: ["since"],
    values: [{ type: "source", source: { slot: 0, path: ["since"], strict: false } }],
  });
});

test("edges are anchored at the nearest named source", () => {
  const built = plan(nightly);
  expect(built.slots.map(({ anchor }) => built.slots[anchor]!.name)).toEqual([
    "input",
    "list",
    "list",
    "parse",
    "parse",
    "index",
    "list",
    "list",
    "list",
    "index",
    "mail",
    "list",
  ]);
});

test("the plan is frozen through and through, and users' values are not", () => {
  const shared = { mutable: true };
  const uses = op("uses", (_i: { shared: { mutable: boolean } }) => ({ a: 1 }));
  const built = plan(graph("g", () => ({ r: uses({ shared }).a })));
  const open: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null || path.endsWith(".value")) return;
    if (!Object.isFrozen(value)) open.push(path);
    for (const [key, child] of Object.entries(value)) visit(child, `${path}.${key}`);
  };
  visit(built, "plan");
  visit(plan(nightly), "nightly");
  expect(open).toEqual([]);
  expect(Object.isFrozen(shared)).toBe(false);
});

test("nested lists give nested scopes, and collects take them apart again", () => {
  const chapters = op("chapters", async (_i: { book: string }) => ({ list: [{ title: "t", paragraphs: ["p"] }] }));
  const gist = op("gist", async (_i: { p: string; title: string }) => ({ point: "p" }));
  const digest = graph("digest", (input: Ref<{ book: string }>) => {
    const chapter = each(chapters({ book: input.book }).list);
    const g = gist({ p: each(chapter.paragraphs), title: chapter.title }, { parallel: 4 });
    return { points: collect(collect(g.point)) };
  });
  const built = plan(digest);
  expect(sketch(built)).toEqual([
    "0 input input @0",
    "1 op chapters @0 <- 0",
    "2 each @0 <- 1",
    "3 item @1",
    "4 each @1 <- 3",
    "5 item @2",
    "6 op gist @2 <- 5 3",
    "7 record @2 <- 6",
    "8 collect @1 <- *7",
    "9 collect @0 <- *8",
    "10 record @0 <- 9",
  ]);
  expect(built.streams.map(({ segment }) => segment)).toEqual(["chapters.list", "chapters.list.paragraphs"]);
  expect(built.scopes[2]).toEqual({
    id: 2,
    kind: "item",
    name: "",
    block: -1,
    ephemeral: -1,
    arm: 0,
    parent: 1,
    depth: 2,
    stream: 1,
    slots: [5, 6, 7],
    missing: [1, 1, 1],
    outer: [{ local: 1, slot: 3, hops: 1, after: false }],
    ready: [],
  });
});

test("each edge kind evaluates what its contract says", () => {
  const built = plan(
    graph("edges", (input: Ref<{ xs: (string | null)[]; opt?: string; n: number }>) => {
      const x = present(each(input.xs));
      return {
        all: collect(x),
        or: orElse(input.opt, "none"),
        sum: derive([input.n, 2], ([a, b]) => a + b),
        line: text`n is ${input.n}, ${"really"}`,
        count: reduce("count", x, 0, (n) => n + 1, { errors: "skip" }),
      };
    }),
  );
  const [sum, line] = ofKind(built, SlotKind.derive);
  expect((sum!.fn as (v: unknown) => unknown)([1, 2])).toBe(3);
  expect((line!.fn as (v: unknown) => unknown)([7, "really"])).toBe("n is 7, really");
  expect(() => (line!.fn as (v: unknown) => unknown)([undefined, "x"])).toThrow(
    "value 1 of a text is undefined, not text or a number",
  );
  expect(ofKind(built, SlotKind.orElse)[0]!.inputs).toEqual({
    type: "array",
    items: [
      { type: "source", source: { slot: 0, path: ["opt"], strict: false } },
      { type: "constant", value: "none" },
    ],
  });
  expect(ofKind(built, SlotKind.present)[0]!.inputs).toEqual({
    type: "array",
    items: [{ type: "source", source: { slot: 2, path: [], strict: false } }],
  });
  expect(named(built, "count").collect).toEqual({ stream: 0, watch: 3, errors: "skip", initial: 0, index: 1 });
  expect((named(built, "count").fn as (n: number) => number)(4)).toBe(5);
});

test("what depends on nothing is ready as soon as its context opens", () => {
  const now = op("now", () => ({ t: 1 }));
  const built = plan(
    graph("g", (input: Ref<{ xs: string[] }>) => {
      const a = now();
      const b = now({}, { name: "b", after: [a] });
      return { a: a.t, b: b.t, items: parse({ path: each(input.xs) }).text };
    }),
  );
  expect(built.scopes[0]!.ready.map((local) => built.slots[built.scopes[0]!.slots[local]!]!.name)).toEqual(["now"]);
  expect(named(built, "b").dependencies).toEqual([{ slot: 1, after: true }]);
});

test("a slot that is both read and named in after is listed once, as read", () => {
  const built = plan(
    graph("g", (input: Ref<{ path: string }>) => {
      const a = parse({ path: input.path });
      return mail({ body: a.text }, { after: [a] });
    }),
  );
  expect(named(built, "mail").dependencies).toEqual([{ slot: 1, after: false }]);
});

test("the output collects streams level by level, and mixed records as records", () => {
  const built = plan(
    graph("g", (input: Ref<{ since: string }>) => {
      const doc = list({ since: input.since });
      const page = each(parse({ path: doc.path }).pages);
      return { page, pair: { deep: [doc.path, input.since] }, since: input.since, fixed: 1 };
    }),
  );
  expect(sketch(built).slice(6)).toEqual([
    "6 collect @1 <- *5",
    "7 collect @0 <- *6",
    "8 record @1 <- 2 0",
    "9 collect @0 <- *8",
    "10 record @0 <- 7 9 0",
  ]);
  expect(built.output).toBe(10);
  expect(built.slots[10]!.inputs).toEqual({
    type: "object",
    keys: ["page", "pair", "since", "fixed"],
    values: [
      { type: "source", source: { slot: 7, path: [], strict: false } },
      { type: "source", source: { slot: 9, path: [], strict: false } },
      { type: "source", source: { slot: 0, path: ["since"], strict: false } },
      { type: "constant", value: 1 },
    ],
  });
});

test("a graph may return one ref, a list, a constant or nothing", () => {
  const one = plan(graph("one", (input: Ref<{ since: string }>) => list({ since: input.since }).path));
  expect(sketch(one).slice(3)).toEqual(["3 record @1 <- 2", "4 collect @0 <- *3", "5 record @0 <- 4"]);
  const pair = plan(graph("pair", (input: Ref<{ a: number }>) => [input.a, 2]));
  expect(pair.slots[pair.output]!.inputs?.type).toBe("array");
  expect(plan(graph("fixed", () => "x")).slots[1]!.inputs).toEqual({ type: "constant", value: "x" });
  expect(plan(graph("none", () => undefined)).slots[1]!.inputs).toEqual({ type: "constant", value: undefined });
});

test("an op run by itself is a plan of one node that is named like it", () => {
  expect(plan(parse).name).toBe("parse");
  expect(sketch(plan(parse))).toEqual(["0 input input @0", "1 op parse @0 <- 0", "2 record @0 <- 1"]);
  expect(sketch(plan(list))).toEqual([
    "0 input input @0",
    "1 op list @0 <- 0",
    "2 item @1",
    "3 collect @0 <- *2",
    "4 record @0 <- 3",
  ]);
  expect(plan(parse)).toBe(plan(parse));
});
