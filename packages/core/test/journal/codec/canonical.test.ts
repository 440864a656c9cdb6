import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { canonical, encode, hashValue } from "../../../src/journal/codec/codec.ts";
import { sparse } from "./sparse.ts";

describe("H40: canonical text and hash", () => {
  it("do not depend on the order of keys, at any depth, plain or tagged", () => {
    const pairs: [unknown, unknown][] = [
      [
        { a: 1, b: { c: 2, d: 3 } },
        { b: { d: 3, c: 2 }, a: 1 },
      ],
      [
        { a: undefined, b: [{ x: 1n, y: 2 }] },
        { b: [{ y: 2, x: 1n }], a: undefined },
      ],
      [new Map([["k", { a: 1, b: 2 }]]), new Map([["k", { b: 2, a: 1 }]])],
      [
        { $t: 1, a: 2 },
        { a: 2, $t: 1 },
      ],
    ];
    for (const [left, right] of pairs) {
      expect(encode(left)).not.toBe(encode(right));
      expect(canonical(left)).toBe(canonical(right));
      expect(hashValue(left)).toBe(hashValue(right));
    }
  });

  it("depend on the order of arrays, Maps and Sets, which is part of their value", () => {
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect(canonical(new Set([1, 2]))).not.toBe(canonical(new Set([2, 1])));
    const [a, b] = [["a", 1] as const, ["b", 2] as const];
    expect(canonical(new Map([a, b]))).not.toBe(canonical(new Map([b, a])));
  });

  it("tell apart what JSON confuses", () => {
    const values: unknown[] = [
      0,
      -0,
      Number.NaN,
      null,
      undefined,
      "0",
      0n,
      [],
      [undefined],
      sparse(1),
      {},
      { a: undefined },
    ];
    values.push("", new Date(0), "1970-01-01T00:00:00.000Z", new Map(), new Set(), Object.create(null) as object);
    values.push(
      new Uint8Array(),
      new ArrayBuffer(0),
      Buffer.alloc(0),
      { $t: "Map" },
      /x/,
      new Error("x"),
      new TypeError("x"),
    );
    values.push("\ud800", "\udfff", "\ufffd");
    expect(new Set(values.map((value) => canonical(value))).size).toBe(values.length);
    expect(new Set(values.map((value) => hashValue(value))).size).toBe(values.length);
  });

  it("leave out the stacks of errors, also inside causes, and nothing else of them", () => {
    const fail = (code: string): Error => Object.assign(new Error("x", { cause: new TypeError("inner") }), { code });
    const first = fail("A");
    const second = (() => fail("A"))();
    expect(encode(first)).not.toBe(encode(second));
    expect(canonical({ first })).toBe(canonical({ first: second }));
    expect(canonical(first)).not.toBe(canonical(fail("B")));
  });

  it("are like encode for values whose keys are in order", () => {
    for (const value of [{ a: 1, b: [2, { c: "x" }] }, { a: 1n, b: new Map([[1, 2]]) }, undefined, -0]) {
      expect(canonical(value)).toBe(encode(value));
    }
  });

  it("keep an own __proto__ key", () => {
    expect(canonical(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"z":1},"b":1}');
  });

  it("the hash is the SHA-256 of the canonical text", () => {
    const value = { b: new Date(5), a: "é" };
    expect(hashValue(value)).toBe(createHash("sha256").update(canonical(value)).digest("hex"));
  });

  it("the hash is the same in every release", () => {
    const value = {
      z: sparse(3, [0, 1], [2, -0]),
      a: { b: 10n, a: undefined },
      m: new Map([["k", new Set([1.5e-7])]]),
    };
    expect(canonical(value)).toBe(
      '{"$t":{"a":{"a":{"$t":"undefined"},"b":{"$t":"bigint","v":"10"}},"m":{"$t":"Map","v":[["k",{"$t":"Set","v":[1.5e-7]}]]},"z":{"$t":"sparse","v":[3,[0,1],[2,{"$t":"number","v":"-0"}]]}}}',
    );
  });
});
