import { sparse } from "./sparse.ts";

/** Every row of the table of values in which other formats change or refuse something, and their neighbours. */
export const valueMatrix: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  "true and false": () => [true, false],
  "empty string": () => "",
  "string of every control character, quotes and line separators": () =>
    String.fromCharCode(...Array.from({ length: 160 }, (_, i) => i)) + '"\\/\u2028\u2029',
  "NUL in a string and a key": () => ({ "a\u0000b": "\u0000" }),
  "lone surrogates in strings": () => ["\ud800", "\udc00x", "a\udbff", "\udc00\ud800"],
  "lone surrogate in a key": () => ({ "\ud83d": 1, "\udc00": undefined }),
  "lone surrogate in a Map key": () => new Map([["\ud83d", "\ud83d"]]),
  "numbers at the edges": () => [0, 1e21, 5e-324, Number.MAX_VALUE, Number.MIN_SAFE_INTEGER, 0.1 + 0.2, 1e-7],
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  "-Infinity": () => Number.NEGATIVE_INFINITY,
  "-0": () => -0,
  "-0 deep inside": () => ({ a: [{ b: -0 }] }),
  undefined: () => undefined,
  "undefined property": () => ({ a: undefined, b: 1 }),
  "undefined element": () => [undefined, 1, undefined],
  "hole in an array": () => sparse(3, [0, 1], [2, 3]),
  "holes beside undefined": () => sparse(3, [1, undefined]),
  "array of holes only": () => sparse(5),
  "very long sparse array": () => {
    const array: unknown[] = [];
    array[4_000_000_000] = { far: true };
    return array;
  },
  BigInt: () => [0n, -1n, 2n ** 64n, -(2n ** 200n)],
  Date: () => new Date("2026-02-03T04:05:06.789Z"),
  "invalid Date": () => new Date(Number.NaN),
  "Dates at the ends of time": () => [new Date(8.64e15), new Date(-8.64e15), new Date(-1), new Date(0)],
  Map: () =>
    new Map<unknown, unknown>([
      ["a", 1],
      [{ k: 1 }, new Map([[undefined, Number.NaN]])],
      [Number.NaN, null],
    ]),
  "empty Map and Set": () => [new Map(), new Set()],
  Set: () => new Set<unknown>([3, 1, "1", undefined, new Set([2n]), { a: 1 }]),
  URL: () => new URL("https://user:pass@exämple.org:8080/a%20b?q=1&q=2#h"),
  "URL without a host": () => new URL("data:text/plain,hello"),
  RegExp: () => /a\/[b\n](?<name>\d)/giu,
  "RegExp with lastIndex": () => Object.assign(/x/y, { lastIndex: 7 }),
  "empty RegExp": () => new RegExp(""), // oxlint-disable-line prefer-regex-literals
  Error: () => new Error("broken"),
  "Error without a message": () => new Error(), // oxlint-disable-line unicorn/error-message
  "Error with an empty message": () => new Error(""), // oxlint-disable-line unicorn/error-message
  "Errors of every built-in class": () => [
    new EvalError("a"),
    new RangeError("b"),
    new ReferenceError("c"),
    new SyntaxError("d"),
    new TypeError("e"),
    new URIError("f"),
  ],
  "Error with code, status and data": () =>
    Object.assign(new TypeError("x"), { code: "E_X", status: 429, at: new Date(5) }),
  "Error with a chain of causes": () =>
    new Error("outer", { cause: new RangeError("inner", { cause: { reason: undefined, list: [1n] } }) }),
  "Error whose cause is undefined": () => new Error("x", { cause: undefined }),
  "Error with a name of its own": () => Object.assign(new Error("x"), { name: "HttpError" }),
  "Error with a hidden name": () =>
    Object.defineProperty(new Error("x"), "name", { value: "Quiet", configurable: true }),
  "Error with hostile property names": () =>
    Object.defineProperty(new Error("x"), "__proto__", { value: { a: 1 }, enumerable: true, configurable: true }),
  "Error without a stack": () => {
    const error = new Error("x");
    delete error.stack;
    return error;
  },
  AggregateError: () => new AggregateError([new Error("1"), "two", undefined], "several"),
  Int8Array: () => new Int8Array([-1, 0, 127]),
  Uint8Array: () => new Uint8Array([0, 1, 255]),
  "empty Uint8Array": () => new Uint8Array(),
  Uint8ClampedArray: () => new Uint8ClampedArray([0, 255]),
  Int16Array: () => new Int16Array([-32768, 32767]),
  Uint16Array: () => new Uint16Array([65535]),
  Int32Array: () => new Int32Array([-2147483648]),
  Uint32Array: () => new Uint32Array([4294967295]),
  Float32Array: () => new Float32Array([0.1, -0, Number.NaN, Number.POSITIVE_INFINITY]),
  Float64Array: () => new Float64Array([0.1, -0, Number.NaN]),
  BigInt64Array: () => new BigInt64Array([-(2n ** 63n)]),
  BigUint64Array: () => new BigUint64Array([2n ** 64n - 1n]),
  "view into the middle of a buffer": () => new Uint16Array(new Uint8Array([1, 2, 3, 4, 5, 6]).buffer, 2, 1),
  Buffer: () => Buffer.from("mühle"),
  "Buffer of every byte": () => Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  ArrayBuffer: () => new Uint8Array([9, 8, 7]).buffer,
  DataView: () => new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2),
  "own __proto__ key": () => JSON.parse('{"__proto__":{"polluted":true},"a":1}') as unknown,
  "own __proto__ key in a tagged value": () => {
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
    value["big"] = 1n;
    return value;
  },
  "keys named like members of Object.prototype": () => ({
    constructor: 1,
    toString: "x",
    hasOwnProperty: null,
    valueOf: -0,
  }),
  "toJSON that is data": () => ({ toJSON: "text", a: undefined }),
  "empty key": () => ({ "": 1, a: { "": undefined } }),
  "integer-like keys": () => ({ b: 1, 10: "ten", 9: "nine", "01": -0 }),
  "null-prototype object": () => Object.assign(Object.create(null) as object, { a: 1, b: [Object.create(null)] }),
  "null-prototype object with an own __proto__": () =>
    Object.defineProperty(Object.create(null) as object, "__proto__", { value: 1, enumerable: true }),
  "user data that looks like a tag": () => ({ $t: "Map", v: [] }),
  "user data that looks like a tag, deep": () => ({ a: { $t: { $t: "Date", v: null } }, b: -0 }),
  "user data that looks like a tag, plain around it": () => ({ a: [{ $t: "undefined" }] }),
  "user data that looks like a blob reference": () => ({ $b: "0123" }),
  "user data that looks like a blob reference, deep": () => ({ a: { $b: "0123" }, b: 1n }),
  "LangChain constructor objects stay data": () => ({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: { content: "x", extra: undefined },
  }),
};
