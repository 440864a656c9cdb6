import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  collect,
  derive,
  each,
  fail,
  fallback,
  given,
  graph,
  interrupt,
  loop,
  match,
  op,
  race,
  route,
  sleep,
  sweep,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";
import { refusal, untyped } from "./support.ts";

const one = op("one", async (_i: { x: string }) => ({ y: "y", n: 1, ok: true as boolean }));
const unsafe = op("unsafe", { effect: "unsafe" }, async (_i: { x: string }) => ({ y: "y" }));
const gen = op("gen", async function* (_i: { x: string }) {
  yield { tok: "t" };
});
const Answer = z.object({ ok: z.boolean() });
type Input = Ref<{ a: string; go: boolean; xs: string[]; ys: string[]; kind: "a" | "b" }>;

/** What a body is refused for, with the hint. */
const refused = (body: (input: Input) => unknown): string => {
  const error = refusal(() =>
    graph("g", (input: Input) => {
      body(input);
      return {};
    }),
  );
  return error.message;
};

describe("what types cannot see in a block, the build refuses", () => {
  test("an item of the block's own stream cannot be collected inside of it", () => {
    const message = refused((input) => {
      const x = each(input.xs);
      return when("w", one({ x }).ok, () => collect(x));
    });
    expect(message).toMatch(/collect\(\) was given input.xs, which is one value, not a stream/);
  });

  test("a block whose body uses items and returns what is the run's is refused, and so is its loop", () => {
    const leak = (input: Input) => {
      const x = each(input.xs);
      return race("r", {
        a: () => {
          one({ x });
          return { ok: true };
        },
      });
    };
    expect(refused(leak)).toMatch(/race r uses items of input.xs, so it runs once per item/);
    const turns = (input: Input) => {
      const x = each(input.xs);
      return loop("l", {}, { n: 0 }, (s) => {
        one({ x });
        return { next: { n: s.n }, until: derive(s.n, (n) => n > 1) };
      });
    };
    expect(refused(turns)).toMatch(/loop l uses items of input.xs/);
  });

  test("a ref that is made in an arm cannot be used outside of it", () => {
    let leaked: Ref<string> | undefined;
    const message = refused((input) => {
      when("w", input.go, () => {
        leaked = one({ x: input.a }).y;
        return {};
      });
      return one({ x: leaked! }, { name: "outside" });
    });
    expect(message).toMatch(/one.y belongs to the body w\/then but is used by .*outside.* in graph g/);
  });

  test("a stream and one value cannot leave two bodies under one name, nor two unrelated streams meet", () => {
    expect(
      refused((input) => {
        const m = when(
          "w",
          input.go,
          () => gen({ x: input.a }),
          () => ({ tok: "one" }),
        );
        return collect(m.tok);
      }),
    ).toMatch(/is a stream in one body and one value/);
    expect(refused((input) => derive([each(input.xs), each(input.ys)], ([a, b]) => a + b))).toMatch(
      /two unrelated streams/,
    );
  });
});

test("a stream that leaves a block per item is made of something of the item, so that its type says how deep it is", () => {
  const leaving = (x: (item: Ref<string>) => string | Ref<string>) => (input: Input) => {
    const item = each(input.xs);
    const w = when("w", one({ x: item }).ok, () => gen({ x: x(item as never) }));
    return { all: untyped(collect)(untyped(collect)(w.tok)) };
  };
  expect(refused(leaving(() => "constant"))).toMatch(
    /w.tok is one stream per item of input.xs, but nothing it is made of is, so its type says one stream/,
  );
  expect(() =>
    graph(
      "g",
      leaving((item) => item),
    ),
  ).not.toThrow();
});

test("a loop names every key of its state in next, and ends by something it computes", () => {
  const until = (n: Ref<number>) => derive(n, (k) => k > 1);
  const returning = (returned: (n: Ref<number>) => object | undefined) => () =>
    untyped(loop)("l", {}, { n: 0, m: 0 }, (s: { n: Ref<number> }) => returned(s.n));
  expect(refused(returning((n) => ({ next: { n, m: 1, extra: 2 }, until: until(n) })))).toMatch(/"?extra"?/);
  expect(refused(returning((n) => ({ next: { n }, until: until(n) })))).toMatch(/next of loop l lacks "m"/);
  expect(refused(returning((n) => ({ next: { n, m: 1 } })))).toMatch(/loop l does not say when it ends/);
  expect(refused(returning((n) => ({ next: { n, m: 1 }, until: false })))).toMatch(/ends by a constant: .* never end/);
  expect(refused(returning((n) => ({ until: until(n) })))).toMatch(/loop l does not say what comes next/);
  expect(refused(returning(() => undefined))).toMatch(/the body of loop l returns nothing/);
  expect(refused(returning((n) => ({ next: { n, m: 1 }, until: until(n), output: 1 })))).toMatch(/output/);
  expect(refused(() => untyped(loop)("l", { max: 0 }, { n: 0 }, () => ({})))).toMatch(/max/);
  expect(refused(() => untyped(loop)("l", { onLimit: "stop" }, { n: 0 }, () => ({})))).toMatch(/onLimit/);
  expect(refused(() => untyped(loop)("l", {}, [0], () => ({})))).toMatch(/the state of loop l is not a record/);
});

test("arms are named like nodes, are functions that wire, and there is at least one", () => {
  expect(refused((input) => untyped(route)("r", input.kind, {}))).toMatch(/route r has no arms/);
  expect(refused((input) => untyped(route)("r", input.kind, { "a b": () => 1 }))).toMatch(/"a b" cannot name an arm/);
  expect(refused((input) => untyped(route)("r", input.kind, { otherwise: () => 1 }))).toMatch(
    /"otherwise" cannot name an arm/,
  );
  expect(refused((input) => untyped(match)("m", input, "kind", {}))).toMatch(/match m has no arms/);
  expect(refused(() => race("r", {}))).toMatch(/race r has no arms/);
  expect(refused((input) => untyped(when)("w", input.go, 1))).toMatch(/the body w\/then is not a function/);
  expect(refused((input) => when("w", input.go, async () => ({})))).toMatch(/the body w\/then is async or a generator/);
  expect(refused((input) => untyped(given)("v", input.a, function* () {}))).toMatch(/is async or a generator/);
  expect(refused((input) => untyped(match)("m", input, "kind", { a: async () => ({}) }))).toMatch(/m\/a is async/);
  expect(
    refused((input) =>
      untyped(fallback)(
        "f",
        () => one({ x: input.a }),
        async () => ({}),
      ),
    ),
  ).toMatch(/the body f\/handler is async or a generator/);
  expect(refused(() => untyped(loop)("l", {}, { n: 0 }, async () => ({})))).toMatch(/the body l is async/);
  expect(refused(() => untyped(loop)("l", {}, { n: 0 }, { next: 1 }))).toMatch(/the body l is not a function/);
  expect(refused((input) => untyped(fallback)("f", () => one({ x: input.a })))).toMatch(/fallback f has no handler/);
});

test("two blocks of one scope need two names; one op in two arms does not", () => {
  expect(
    refused((input) => {
      when("w", input.go, () => one({ x: input.a }));
      return when("w", input.go, () => one({ x: input.a }));
    }),
  ).toMatch(/"?w"?.*name/);
  expect(() =>
    graph("g", (input: Input) => ({
      y: route("r", input.kind, { a: () => one({ x: "a" }), b: () => one({ x: "b" }) }).y,
    })),
  ).not.toThrow();
});

test("unsafe ops cannot be in a race, however deep", () => {
  const message = refused((input) =>
    race("r", {
      a: () => when("w", input.go, () => unsafe({ x: input.a })),
      b: () => ({ y: "b" }),
    }),
  );
  expect(message).toMatch(/r\/a\/w\/then\/unsafe is unsafe and in an arm of race r/);
});

test("questions say what an answer is, and how long a default is waited for", () => {
  expect(refused(() => untyped(interrupt)("ask", {}, {}))).toMatch(/does not say what an answer is/);
  expect(refused(() => interrupt("ask", {}, { answer: Answer, default: { ok: true } }))).toMatch(
    /has a default, but waits for ever/,
  );
  expect(refused(() => untyped(interrupt)("ask", {}, { answer: Answer, timeout: "soon" }))).toMatch(/soon/);
  expect(refused(() => untyped(interrupt)("ask", {}, { answer: Answer, timeOut: "3d" }))).toMatch(/timeOut/);
  expect(refused(() => untyped(sleep)("nap", "soon"))).toMatch(/soon/);
});

test("fail has a message, sweep has targets, and zip pairs streams that are made in one place", () => {
  expect(refused(() => untyped(fail)("f", {}))).toMatch(/fail f has no message/);
  expect(refused((input) => untyped(sweep)("s", { on: input.go, cancel: [] }))).toMatch(/sweep s cancels nothing/);
  expect(refused((input) => untyped(sweep)("s", { on: input.go, cancel: [1] }))).toMatch(/not a ref/);
  expect(refused((input) => zip({ a: each(input.xs) }))).toMatch(/zip\(\) pairs two streams or more/);
  expect(
    refused((input) => {
      const x = each(input.xs);
      return zip({ a: x, b: one({ x }).y });
    }),
  ).toMatch(/one stream twice/);
  expect(
    refused((input) => {
      const x = each(input.xs);
      return untyped(zip)({ a: x, b: gen({ x }).tok });
    }),
  ).toMatch(/made in different places/);
});
