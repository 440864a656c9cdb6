/** What the types cannot see and the build decides: the holes that the authoring prototype lists. */
import { expect, test } from "vitest";
import { collect, derive, each, fallback, graph, loop, op, race, when, type Ref } from "../../src/index.ts";

const need = op("need", async ({ x }: { x: string }) => ({ y: x, ok: true as boolean }));
const gen = op("gen", async function* ({ x }: { x: string }) {
  yield { tok: x };
});

test("a fallback or race whose closures use an item but return only values of the run", () => {
  expect(() =>
    graph("leak", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      const leak = fallback(
        "leak",
        () => {
          need({ x });
          return { ok: true };
        },
        () => ({ ok: false }),
      );
      return { ok: leak.ok };
    }),
  ).toThrow(/uses items of input\.xs, so it runs once per item, but what it returns does not tell/);
  expect(() =>
    graph("leak", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      return race("r", {
        a: () => {
          need({ x });
          return { ok: true };
        },
      });
    }),
  ).toThrow(/runs once per item/);
});

test("collect of an outer item inside an arm per item", () => {
  expect(() =>
    graph("inside", (input: Ref<{ xs: string[] }>) => {
      const x = each(input.xs);
      const arm = when("wrong", need({ x }).ok, () => collect(x));
      return { all: collect(arm) };
    }),
  ).toThrow(/is one value, not a stream/);
  const outside = graph("outside", (input: Ref<{ xs: string[]; go: boolean }>) => {
    const x = each(input.xs);
    return { n: when("w", input.go, () => derive(collect(x), (all) => all.length)) };
  });
  expect(outside.plan.findings.filter(({ level }) => level === "error")).toEqual([]);
});

test("two unrelated streams in one call", () => {
  expect(() =>
    graph("two", (input: Ref<{ xs: string[]; ys: string[] }>) => {
      const both = op("both", async (i: { x: string; y: string }) => i);
      return { all: collect(both({ x: each(input.xs), y: each(input.ys) })) };
    }),
  ).toThrow(/two unrelated streams/);
  expect(() =>
    graph("two", (input: Ref<{ xs: string[]; ys: string[] }>) => {
      const [x, y] = [each(input.xs), each(input.ys)];
      return { all: collect(when("w", need({ x }).ok, () => need({ x: y }))) };
    }),
  ).toThrow(/two unrelated streams/);
});

test("a stream and a plain value from two arms", () => {
  expect(() =>
    graph("mixed", (input: Ref<{ go: boolean; x: string }>) => {
      const m = when(
        "w",
        input.go,
        () => gen({ x: input.x }),
        () => ({ tok: "one" }),
      );
      return { all: collect(m.tok) };
    }),
  ).toThrow(/is a stream in one body and one value in w\/else/);
});

test("keys in a loop's next that the state does not have, and keys of the state that it lacks", () => {
  const counted = (next: (s: { n: unknown }) => unknown): (() => unknown) => {
    return () =>
      graph("l", (input: Ref<{ n: number }>) =>
        loop("l", { max: 3 }, { n: input.n }, (s) => ({
          next: next(s as never) as never,
          until: derive(s.n, (n) => n > 1),
        })),
      );
  };
  expect(counted(({ n }) => ({ n, m: n }))).toThrow(/next of loop l has no option "m"/);
  expect(counted(() => ({}))).toThrow(/next of loop l lacks "n"/);
  expect(counted(({ n }) => ({ n }))).not.toThrow();
});

test("a ref that leaks out of its block, and a loop that never ends", () => {
  let leaked: Ref<string> | undefined;
  expect(() =>
    graph("leaks", (input: Ref<{ go: boolean }>) => {
      when("w", input.go, () => {
        leaked = need({ x: "a" }).y;
      });
      return { y: need({ x: leaked as Ref<string> }, { name: "outside" }).y };
    }),
  ).toThrow(/belongs to the body w\/then/);
  expect(() =>
    graph("endless", (input: Ref<{ n: number }>) =>
      loop("l", {}, { n: input.n }, (s) => ({ next: { n: s.n }, until: false as unknown as Ref<boolean> })),
    ),
  ).toThrow(/would never end/);
});
