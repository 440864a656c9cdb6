/** Values as they are shown: cut, and compared. */
import { describe, expect, test } from "vitest";
import { shortJson } from "../../src/cli/format/short-json.ts";
import { valueDiff } from "../../src/cli/format/value-diff.ts";

describe("a value on one line", () => {
  test("is JSON when it is short, whatever it is", () => {
    for (const [value, text] of [
      [{ a: [1, "x", null], b: undefined }, '{"a":[1,"x",null]}'],
      [new Map([["k", new Set([1])]]), '{"k":[1]}'],
      [new Map([[1, 2]]), "[[1,2]]"],
      [new Date(0), '"1970-01-01T00:00:00.000Z"'],
      [7n, '"7"'],
      [Number.NaN, '"NaN"'],
      [undefined, "null"],
      [new TypeError("no"), '{"name":"TypeError","message":"no"}'],
      [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
      ["a\nb\u001B[31m", '"a\\nb\\u001b[31m"'],
    ] as const)
      expect(shortJson(value, 100)).toBe(text);
  });

  test("is cut, and no more of it is looked at than that", () => {
    let read = 0;
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      get n() {
        read++;
        return i;
      },
    }));
    const text = shortJson(many, 50);
    expect(text).toMatch(/^\[\{"n":0\},\{"n":1\}.*…$/);
    expect(text.length).toBeLessThanOrEqual(51);
    expect(read).toBeLessThan(20);
    expect(shortJson("x".repeat(1_000_000), 10)).toBe('"xxxxxxxxx…');
    expect(shortJson(new Uint8Array(1_000_000), 40)).toBe('"Uint8Array of 1000000 bytes"');
    const deep: { in?: unknown } = {};
    deep.in = deep;
    expect(shortJson(deep, 10_000)).toMatch(/…$/);
  });
});

describe("what differs between two values", () => {
  const bounds = { changes: 3, length: 20 };
  const paths = (a: unknown, b: unknown) => valueDiff(a, b, bounds).changes.map(({ path }) => path);

  test("is told by path, with both sides, or the one that there is", () => {
    expect(
      valueDiff({ a: [1, { b: "x" }], c: 1 }, { a: [1, { b: "y" }, 2], d: null }, { ...bounds, changes: 9 }),
    ).toEqual({
      changes: [
        { path: ".a[1].b", a: "x", b: "y" },
        { path: ".a[2]", b: 2 },
        { path: ".c", a: 1 },
        { path: ".d", b: null },
      ],
      more: false,
    });
    expect(paths({ "a b": 1, __proto__: null }, { "a b": 2 })).toEqual(['["a b"]']);
    expect(paths([1], { 0: 1 })).toEqual([""]);
    expect(paths(1, "1")).toEqual([""]);
  });

  test("is nothing where they are the same, and types that look alike are told apart", () => {
    for (const value of [{ a: [new Date(0), Number.NaN, undefined] }, new Map([[1, 2]]), 0n])
      expect(valueDiff(value, structuredClone(value), bounds)).toMatchObject({ changes: [], more: false });
    expect(paths(1n, "1")).toEqual([""]);
    expect(paths(new Set([1]), [1])).toEqual([""]);
  });

  test("is bounded: so many changes, and of long texts the part in which they begin to differ", () => {
    const { changes, more } = valueDiff(
      Array.from({ length: 100_000 }, () => 0),
      Array.from({ length: 100_000 }, () => 1),
      bounds,
    );
    expect([changes.length, more]).toEqual([3, true]);
    const long = "abc".repeat(1_000);
    const [change] = valueDiff(`${long}x${long}`, `${long}y${long}`, bounds).changes;
    expect(change).toEqual({ path: "", a: "…bcabcxabcabcabcabcab…", b: "…bcabcyabcabcabcabcab…", cut: true });
    const [grown] = valueDiff({ list: [] }, { list: { of: long } }, bounds).changes;
    expect(grown).toMatchObject({ path: ".list", a: "[]", cut: true });
    expect((grown!.b as string).length).toBeLessThan(30);
  });
});
