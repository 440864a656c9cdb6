import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MillraceError } from "../../../src/base/error.ts";
import { canonical, encode } from "../../../src/journal/codec/codec.ts";
import { Registry } from "../../../src/journal/codec/registry.ts";
import { sparse } from "./sparse.ts";

class Client {
  url = "x";
}
class HttpError extends Error {}
class Point {
  toJSON(): unknown {
    return {};
  }
}
class SubMap extends Map {}
class SubArray extends Array {}
class SubDate extends Date {}

function failure(action: () => unknown): MillraceError {
  try {
    action();
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const firstLine = (value: unknown): string => {
  const error = failure(() => encode(value));
  expect(error.code).toBe("Unencodable");
  expect(failure(() => canonical(value)).message).toBe(error.message);
  return error.message.split("\n")[0]!;
};

const withGetter = (): object => ({
  get secret() {
    throw new Error("a getter was run");
  },
});

const cyclic = (): object => {
  const user: Record<string, unknown> = { name: "x" };
  user["friends"] = [{ best: user }];
  return { user };
};

const selfContaining = <T extends Map<unknown, unknown> | Set<unknown> | unknown[]>(value: T): T => {
  if (value instanceof Map) value.set("me", value);
  else if (value instanceof Set) value.add(value);
  else value.push(value);
  return value;
};

const causedByItself = (): Error => {
  const error = new Error("x");
  error.cause = error;
  return error;
};

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const extra = <T extends object>(value: T): T => Object.assign(value, { note: 1 });

const refused: [string, () => unknown, string][] = [
  ["function", () => ({ user: { onClick() {} } }), "user.onClick: function"],
  ["function at the top", () => () => 1, "value: function"],
  ["class", () => [Client], "[0]: function"],
  ["symbol", () => ({ a: [Symbol("s")] }), "a[0]: symbol"],
  ["symbol key", () => ({ items: [0, 1, 2, { x: { [Symbol("tag")]: 1 } }] }), "items[3].x: symbol key Symbol(tag)"],
  [
    "hidden symbol key",
    () => ({ x: Object.defineProperty({}, Symbol("h"), { value: 1, enumerable: false }) }),
    "x: symbol key Symbol(h)",
  ],
  ["symbol key on an array", () => Object.assign([1], { [Symbol("t")]: 1 }), "value: symbol key Symbol(t)"],
  ["cycle", cyclic, "user.friends[0].best: cycle back to user"],
  ["cycle to the top", () => selfContaining([]), "[0]: cycle back to value"],
  ["cycle in a Map", () => ({ m: selfContaining(new Map()) }), 'm.get("me"): cycle back to m'],
  ["cycle in a Set", () => ({ s: selfContaining(new Set()) }), "s.values()[0]: cycle back to s"],
  ["cycle of causes", () => ({ e: causedByItself() }), "e.cause: cycle back to e"],
  ["instance of a class", () => ({ api: { client: new Client() } }), "api.client: instance of Client"],
  [
    "instance of a class without a name",
    () => [
      new (class {
        x = 1;
      })(),
    ],
    "[0]: instance of an unnamed class",
  ],
  ["error of one's own class", () => ({ error: new HttpError("x") }), "error: instance of HttpError"],
  ["object that borrows a prototype", () => ({ e: Object.create(Error.prototype) as unknown }), "e: instance of Error"],
  ["subclass of Map", () => [new SubMap()], "[0]: instance of SubMap"],
  ["subclass of Array", () => [new SubArray()], "[0]: instance of SubArray"],
  ["subclass of Date", () => [new SubDate(0)], "[0]: instance of SubDate with toJSON()"],
  ["object with toJSON", () => ({ x: { a: 1, toJSON: () => 1 } }), "x: object with toJSON()"],
  ["instance with toJSON", () => ({ x: new Point() }), "x: instance of Point with toJSON()"],
  ["accessor", () => ({ user: withGetter() }), "user.secret: accessor property"],
  ["setter", () => ({ a: { set x(_: unknown) {} } }), "a.x: accessor property"],
  [
    "accessor on an error",
    () => Object.defineProperty(new Error("x"), "lazy", { get: () => 1, enumerable: true }),
    "lazy: accessor property",
  ],
  [
    "hidden property",
    () => ({ a: Object.defineProperty({}, "x", { value: 1 }) }),
    "a.x: property that is not enumerable",
  ],
  ["extra property on an array", () => ({ m: "a1".match(/\d/) }), "m.index: extra property on an array"],
  ["extra property on a Date", () => [extra(new Date(0))], "[0].note: extra property on a Date"],
  ["extra property on a Map", () => [extra(new Map())], "[0].note: extra property on a Map"],
  ["extra property on a Set", () => [extra(new Set())], "[0].note: extra property on a Set"],
  ["extra property on a URL", () => [extra(new URL("https://a.example"))], "[0].note: extra property on a URL"],
  ["extra property on a RegExp", () => [extra(/x/)], "[0].note: extra property on a RegExp"],
  ["boxed number", () => ({ n: new Number(1) }), "n: instance of Number"], // oxlint-disable-line no-new-wrappers
  ["boxed string", () => ({ s: new String("x") }), "s: instance of String"], // oxlint-disable-line no-new-wrappers
  ["boxed boolean", () => ({ b: new Boolean(false) }), "b: instance of Boolean"], // oxlint-disable-line no-new-wrappers
  ["boxed bigint", () => ({ b: Object(1n) as unknown }), "b: instance of BigInt"],
  ["boxed symbol", () => ({ b: Object(Symbol("x")) as unknown }), "b: instance of Symbol"],
  ["WeakMap", () => [new WeakMap()], "[0]: instance of WeakMap"],
  ["WeakSet", () => [new WeakSet()], "[0]: instance of WeakSet"],
  ["WeakRef", () => [new WeakRef({})], "[0]: instance of WeakRef"],
  ["Promise", () => ({ p: Promise.resolve(1) }), "p: instance of Promise"],
  ["generator", () => ({ g: (function* () {})() }), "g: instance of an unnamed class"],
  ["iterator", () => ({ i: new Map().keys() }), "i: instance of an unnamed class"],
  ["Headers", () => ({ h: new Headers() }), "h: instance of Headers"],
  ["AbortSignal", () => ({ s: new AbortController().signal }), "s: instance of AbortSignal"],
  ["Intl", () => ({ f: new Intl.NumberFormat("en") }), "f: instance of NumberFormat"],
  [
    "arguments",
    () =>
      (function () {
        return { a: arguments };
      })(),
    "a: symbol key Symbol(Symbol.iterator)",
  ], // oxlint-disable-line prefer-rest-params
  ["Math", () => ({ m: Math }), "m: symbol key Symbol(Symbol.toStringTag)"],
  ["object of another realm", () => ({ o: runInNewContext("({})") as unknown }), "o: instance of Object"],
  ["shared memory", () => ({ v: new Uint8Array(new SharedArrayBuffer(1)) }), "v: shared memory"],
  ["SharedArrayBuffer", () => ({ v: new SharedArrayBuffer(1) }), "v: instance of SharedArrayBuffer"],
  ["resizable buffer", () => ({ v: new ArrayBuffer(1, { maxByteLength: 2 }) }), "v: resizable ArrayBuffer"],
  ["function as a Map key", () => new Map([[() => 1, 1]]), "value.keys()[0]: function"],
  ["function under a Map key", () => ({ m: new Map([[{}, () => 1]]) }), "m.get(…): function"],
  ["function in a Set", () => ({ s: new Set([1, () => 1]) }), "s.values()[1]: function"],
  ["function in an AggregateError", () => new AggregateError([() => 1]), "errors[0]: function"],
  ["function on an error", () => Object.assign(new Error("x"), { retry: () => 1 }), "retry: function"],
  ["key that is no identifier", () => ({ "a b": { "": () => 1 } }), '["a b"][""]: function'],
  ["function in a sparse array", () => sparse(2, [1, () => 1]), "[1]: function"],
];

describe("R24: what cannot be kept throws, naming the path", () => {
  it.each(refused)("%s", (_, make, message) => {
    expect(firstLine(make())).toBe(message);
  });

  it("a detached buffer", () => {
    const buffer = new ArrayBuffer(8);
    structuredClone(buffer, { transfer: [buffer] });
    expect(firstLine({ buffer })).toBe("buffer: detached ArrayBuffer");
  });

  it("a revoked Proxy, at the top and inside", () => {
    expect(firstLine(revoked())).toMatch(/^value: cannot be read: TypeError: .*revoked/);
    expect(firstLine({ a: [revoked()] })).toMatch(/^a\[0\]: cannot be read: TypeError: .*revoked/);
  });

  it("objects that only borrow the prototype of a built-in", () => {
    for (const type of [Map, Set, Date, RegExp, URL, Uint8Array, ArrayBuffer, DataView]) {
      expect(firstLine({ x: Object.create(type.prototype as object) as unknown })).toMatch(/^x(\.lastIndex)?: /);
    }
  });

  it("a toJSON on Object.prototype or Array.prototype, which would change every text", () => {
    for (const prototype of [Object.prototype, Array.prototype]) {
      Object.defineProperty(prototype, "toJSON", { value: () => "hijacked", configurable: true });
      try {
        expect(failure(() => encode({ a: 1 })).code).toBe("Unencodable");
        expect(failure(() => canonical([1])).code).toBe("Unencodable");
      } finally {
        Reflect.deleteProperty(prototype, "toJSON");
      }
    }
    expect(encode({ a: 1 })).toBe('{"a":1}');
  });

  it("an encode() of a registered class that throws", () => {
    const registry = new Registry().register("Client", Client, {
      encode() {
        throw new Error("no connection");
      },
      decode: () => new Client(),
    });
    const error = failure(() => encode({ a: new Client() }, registry));
    expect(error.message).toBe("a: encode() of the registered class Client threw Error: no connection");
  });

  it("a part of what a registered class is encoded as", () => {
    const registry = new Registry().register("Client", Client, {
      encode: () => ({ socket: () => 1 }),
      decode: () => new Client(),
    });
    expect(failure(() => encode({ a: new Client() }, registry)).message).toMatch(/^a\(Client\)\.socket: function/);
  });

  it("the hint says what to do", () => {
    expect(failure(() => encode({ c: new Client() })).hint).toContain("register the class");
    expect(failure(() => encode({ n: new Number(1) })).hint).toContain("valueOf()"); // oxlint-disable-line no-new-wrappers
  });
});

describe("limits", () => {
  const nest = (levels: number): unknown => {
    let value: unknown = "core";
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
    return value;
  };

  it.each([513, 100_000])("%i levels are too deep, whatever the stack would bear", (levels) => {
    expect(firstLine(nest(levels))).toMatch(/^(a|\[0\])\S+ … \S+: nested deeper than 512 levels$/);
  });

  it("a long path is shortened in the middle", () => {
    expect(firstLine(nest(100_000)).length).toBeLessThan(200);
    expect(firstLine({ ["k".repeat(1000)]: () => 1 }).length).toBeLessThan(120);
  });

  it("text longer than the limit is refused, on both ways of writing", () => {
    for (const value of [
      "x".repeat(99),
      { a: "x".repeat(99) },
      { a: "x".repeat(99), b: undefined },
      ["\u0000".repeat(20)],
    ]) {
      expect(failure(() => encode(value, undefined, { maxLength: 100 })).message).toContain(
        "longer than 100 characters",
      );
    }
    expect(encode("x".repeat(98), undefined, { maxLength: 100 })).toHaveLength(100);
    for (const value of [new Uint8Array(200), 10n ** 200n, new URL(`https://a.example/${"x".repeat(200)}`)]) {
      expect(failure(() => encode(value, undefined, { maxLength: 100 })).code).toBe("Unencodable");
    }
  });

  it("references shared at every level run into the limit, not out of memory", () => {
    for (const core of ["x", undefined]) {
      let value: unknown = core;
      for (let i = 0; i < 200; i++) value = [value, value];
      expect(failure(() => encode(value, undefined, { maxLength: 100_000 })).code).toBe("Unencodable");
    }
  });
});
