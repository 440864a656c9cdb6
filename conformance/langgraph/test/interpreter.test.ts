import { expect, test } from "vitest";
import type { Action } from "../format/definition.ts";
import type { Vector } from "../format/vector.ts";
import { stepsOf } from "../interpreter/body.ts";
import { decide } from "../interpreter/branch.ts";
import { sorted } from "../interpreter/canonical.ts";
import { evaluate } from "../interpreter/expression.ts";
import { expectedOf } from "../interpreter/otherwise.ts";

const asking: readonly Action[] = [
  { write: { log: "before" } },
  { ask: "first", as: "a" },
  { ask: { text: ["second after ", { use: "a" }] }, as: "b" },
  { throw: "boom", entries: [3] },
  { write: { log: { list: [{ use: "a" }, { use: "b" }] } } },
];

test("a body ends at its first question without an answer", () => {
  expect(stepsOf(asking, { state: {}, answers: [], entry: 1 }).at(-1)).toEqual({ kind: "interrupt", payload: "first" });
  expect(stepsOf(asking, { state: {}, answers: ["A"], entry: 2 }).at(-1)).toEqual({
    kind: "interrupt",
    payload: "second after A",
  });
});

test("a body throws only at the entries that are named, and does nothing behind it", () => {
  const answers = ["A", null];
  expect(stepsOf(asking, { state: {}, answers, entry: 3 }).at(-1)).toEqual({ kind: "throw", message: "boom" });
  expect(stepsOf(asking, { state: {}, answers, entry: 4 })).toEqual([
    { kind: "write", update: { log: "before" } },
    { kind: "write", update: { log: ["A", null] } },
  ]);
});

test("a send for each element reads the element and its index", () => {
  const send: Action = { send: "work", each: { get: "items" }, with: { x: { use: "item.v" }, at: { use: "index" } } };
  expect(stepsOf([send], { state: { items: [{ v: 5 }, { v: 6 }] }, answers: [], entry: 1 })).toEqual([
    { kind: "send", to: "work", state: { x: 5, at: 0 } },
    { kind: "send", to: "work", state: { x: 6, at: 1 } },
  ]);
});

test("the first rule that holds decides, and none leads nowhere", () => {
  const rules = [
    { when: { less: [{ get: "n" }, 5] }, to: ["a", "b"] },
    { when: { equal: [{ get: "n" }, 7] }, to: "END" },
  ] as const;
  expect([decide(rules, { n: 1 }), decide(rules, { n: 7 }), decide(rules, { n: 8 })]).toEqual([
    ["a", "b"],
    ["END"],
    [],
  ]);
});

test("expressions reach only what a value has of its own", () => {
  const bindings = { state: { list: [{ k: 2 }, { k: 3 }] }, names: {} };
  expect(evaluate({ total: { get: "list" }, of: "k" }, bindings)).toBe(5);
  expect(evaluate({ get: "constructor" }, bindings)).toBeNull();
});

test("multisets are equal whatever order they came in, and keys were set in", () => {
  expect(sorted([{ b: 1, a: 2 }, { a: 1 }])).toEqual(sorted([{ a: 1 }, { a: 2, b: 1 }]));
});

test("a difference that points to nothing, or is none, is refused", () => {
  const vector = { name: "x", calls: [{ outcome: "failed", steps: [] }] } as unknown as Vector;
  const at = (pointer: string, value?: string) => [
    { difference: "d", at: pointer, ...(value !== undefined && { value }) },
  ];
  expect(expectedOf(vector, at("/calls/0/outcome", "finished")).calls[0]!.outcome).toBe("finished");
  expect(expectedOf(vector, at("/calls/0")).calls).toEqual([]);
  expect(() => expectedOf(vector, at("/calls/1/outcome", "finished"))).toThrow("points to nothing");
  expect(() => expectedOf(vector, at("/calls/0/outcome", "failed"))).toThrow("is no difference");
  expect(vector.calls[0]!.outcome).toBe("failed");
});
