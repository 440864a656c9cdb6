import { expect, test } from "vitest";
import { deepFreeze } from "../../src/base/freeze.ts";

test("plain data is frozen through and through", () => {
  const value = { list: [{ a: 1 }, [2]], empty: null, text: "x" };
  deepFreeze(value);
  expect([value, value.list, value.list[0], value.list[1]].every(Object.isFrozen)).toBe(true);
});

test("an array that is nearly all holes is walked by what is in it", () => {
  const sparse: unknown[] = [];
  sparse[2 ** 32 - 2] = { a: 1 };
  deepFreeze({ sparse });
  expect(Object.isFrozen(sparse[2 ** 32 - 2])).toBe(true);
});

test("what cannot be frozen is left alone, cycles end", () => {
  const cyclic: Record<string, unknown> = { bytes: new Uint8Array(2), at: new Date(0), map: new Map([[1, { a: 1 }]]) };
  cyclic["self"] = cyclic;
  expect(() => deepFreeze(cyclic)).not.toThrow();
  expect(Object.isFrozen(cyclic)).toBe(true);
});
