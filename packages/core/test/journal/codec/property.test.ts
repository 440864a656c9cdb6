import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MillraceError } from "../../../src/base/error.ts";
import { canonical, decode, encode } from "../../../src/journal/codec/codec.ts";
import { difference } from "./same.ts";
import { sparse } from "./sparse.ts";

type Arbitrary = fc.Arbitrary<unknown>;

const RUNS = { numRuns: 400 };

/** UTF-16 code units at random: lone surrogates included. */
const wildString = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
  .map((units) => String.fromCharCode(...units));
const key = fc.oneof(
  fc.string({ maxLength: 5 }),
  wildString,
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "",
    "$t",
    "$b",
    "v",
    "length",
    "0",
    "10",
    "-1",
    "01",
  ),
);

const leaf: Arbitrary = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    false,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ),
  fc.double(),
  fc.integer(),
  fc.bigInt(),
  fc.string({ unit: "binary" }),
  wildString,
  fc.date({ noInvalidDate: false }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }).map((url) => new URL(url)),
  fc.constantFrom<unknown>(/a/, /\//giu, /[\n\u2028]/s).map((pattern) => new RegExp(pattern as RegExp)),
  fc
    .uint8Array({ maxLength: 9 })
    .chain((bytes) =>
      fc.constantFrom<unknown>(bytes, Buffer.from(bytes), bytes.slice().buffer, new DataView(bytes.slice().buffer)),
    ),
  fc.float32Array({ maxLength: 3 }),
  fc.float64Array({ maxLength: 3 }),
  fc.bigInt64Array({ maxLength: 3 }),
  fc.int16Array({ maxLength: 3 }),
);

function objectOf(value: Arbitrary): Arbitrary {
  const entries = fc.uniqueArray(fc.tuple(key, value), { maxLength: 5, selector: ([name]) => name });
  return fc
    .tuple(entries, fc.boolean())
    .map(([pairs, nullPrototype]) => fill(nullPrototype ? Object.create(null) : {}, pairs));
}

function fill<T extends object>(target: T, pairs: readonly (readonly [string, unknown])[]): T {
  for (const [name, value] of pairs) {
    Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return target;
}

function errorOf(value: Arbitrary): Arbitrary {
  const type = fc.constantFrom(Error, TypeError, RangeError, SyntaxError);
  const props = fc.dictionary(fc.constantFrom("code", "status", "data", "__proto__"), value);
  return fc
    .tuple(type, fc.string(), fc.option(value, { nil: undefined }), props)
    .map(([type_, message, cause, extra]) => fill(new type_(message, { cause }), Object.entries(extra)));
}

function sparseOf(value: Arbitrary): Arbitrary {
  return fc.sparseArray(value, { maxLength: 8, noTrailingHole: false });
}

const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("any"), { maxLength: 4 }),
    objectOf(tie("any")),
    sparseOf(tie("any")),
    fc.array(fc.tuple(tie("any"), tie("any")), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    fc.array(tie("any"), { maxLength: 3 }).map((items) => new Set(items)),
    errorOf(tie("any")),
  ),
}));

describe("R24: any value at all", () => {
  it("comes back with nothing to tell it from the original", () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(difference(value, decode(encode(value)))).toBeUndefined();
      }),
      RUNS,
    );
  });

  it("H40: is written the same again after it was read", () => {
    fc.assert(
      fc.property(any, (value) => {
        const text = encode(value);
        expect(encode(decode(text))).toBe(text);
        expect(canonical(decode(text))).toBe(canonical(value));
      }),
      RUNS,
    );
  });

  it("is one line of well-formed JSON", () => {
    fc.assert(
      fc.property(any, (value) => {
        const text = encode(value);
        expect(text).not.toMatch(/[\n\r]/);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(text.isWellFormed()).toBe(true);
      }),
      RUNS,
    );
  });

  it("has a canonical text that does not depend on the order of keys", () => {
    fc.assert(
      fc.property(any, (value) => {
        expect(canonical(reversed(value))).toBe(canonical(value));
      }),
      RUNS,
    );
  });

  it("pure JSON is written as JSON.stringify writes it, unless it looks like a tag", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!Object.is(value, -0) && !JSON.stringify(value).includes('"$'));
        const clean: unknown = JSON.parse(JSON.stringify(value));
        expect(encode(clean)).toBe(JSON.stringify(clean));
      }),
      RUNS,
    );
  });
});

describe("R24: anything with one part that cannot be kept", () => {
  const poison = fc.constantFrom<[() => unknown, string]>(
    [() => () => 1, "function"],
    [() => Symbol("s"), "symbol"],
    [
      () =>
        new (class Client {
          url = 1;
        })(),
      "instance of Client",
    ],
    [() => new WeakMap(), "instance of WeakMap"],
    [() => ({ toJSON: () => 1 }), "object with toJSON()"],
    [() => ({ [Symbol("k")]: 1 }), "symbol key Symbol(k)"],
  );
  /** Ways in, outermost first, with what the message says of them. */
  const step = fc.constantFrom<[(part: unknown) => unknown, string]>(
    [(part) => ({ before: 1, a: part }), ".a"],
    [(part) => [1n, part], "[1]"],
    [(part) => new Map([["k", part]]), '.get("k")'],
    [(part) => new Map([[part, 1]]), ".keys()[0]"],
    [(part) => new Set([undefined, part]), ".values()[1]"],
    [(part) => new Error("x", { cause: part }), ".cause"],
    [(part) => Object.assign(Object.create(null) as object, { "a b": part }), '["a b"]'],
    [(part) => sparse(2, [1, part]), "[1]"],
  );

  it("throws, and the path leads to that part", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), poison, (steps, [make, what]) => {
        const value = steps.reduceRight((part, [wrap]) => wrap(part), make());
        const path = steps.map(([, name]) => name).join("");
        const shown = path === "" ? "value" : showRoot(path);
        expect(complaint(value)).toBe(`Unencodable ${shown}: ${what}`);
      }),
      RUNS,
    );
  });
});

function complaint(value: unknown): string {
  try {
    encode(value);
  } catch (error) {
    const { code, message } = error as MillraceError;
    return `${code} ${message.split("\n")[0]!}`;
  }
  return "nothing was thrown";
}

/** A property of the value itself is named without a dot; a call needs something to be called on. */
function showRoot(path: string): string {
  if (/^\.(?:get|keys|values)\(/.test(path)) return `value${path}`;
  return path.startsWith(".") ? path.slice(1) : path;
}

/** The same value with the keys of every plain object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value instanceof Map)
    return new Map([...(value as Map<unknown, unknown>)].map(([k, v]) => [reversed(k), reversed(v)]));
  if (value instanceof Set) return new Set([...(value as Set<unknown>)].map(reversed));
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, reversed(part)] as const);
  return fill(Object.create(prototype) as object, entries.reverse());
}
