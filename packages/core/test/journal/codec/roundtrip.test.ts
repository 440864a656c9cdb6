import { describe, expect, it } from "vitest";
import { decode, encode, revive } from "../../../src/journal/codec/codec.ts";
import { difference } from "./same.ts";
import { valueMatrix } from "./value-matrix.ts";

describe("R24 (H40): every value the journal keeps comes back the same in type and content", () => {
  it.each(Object.entries(valueMatrix))("%s", (_, make) => {
    const original = make();
    const text = encode(original);
    expect(difference(original, decode(text))).toBeUndefined();
    expect(encode(decode(text))).toBe(text);
    expect(text).not.toContain("\n");
  });

  it.each(Object.entries(valueMatrix))("inside a Map, a Set, an array, an object and an error: %s", (_, make) => {
    const part = make();
    const original = {
      map: new Map([[part, part]]),
      set: new Set([part]),
      list: [part],
      object: { part },
      error: Object.assign(new Error("x", { cause: part }), { part }),
    };
    expect(difference(original, decode(encode(original)))).toBeUndefined();
  });

  it("keeps Float16Array where the platform has it", (context) => {
    const type = (globalThis as { Float16Array?: new (from: number[]) => object }).Float16Array;
    if (type === undefined) return context.skip("this Node has no Float16Array");
    const value = new type([0.5, -0]);
    expect(difference(value, decode(encode(value)))).toBeUndefined();
  });

  it("brings typed arrays back on a buffer of their own", () => {
    const small = decode(encode(new Uint8Array([1, 2, 3]))) as Uint8Array;
    expect(small.byteOffset).toBe(0);
    expect(small.buffer.byteLength).toBe(3);
  });

  it("brings errors back as genuine errors", () => {
    const error = decode(encode(new TypeError("x"))) as Error;
    expect(error).toBeInstanceOf(TypeError);
    expect(Object.prototype.toString.call(error)).toBe("[object Error]");
    expect(error.stack).toContain("TypeError: x");
  });

  it("counts errors that Node itself throws as their built-in class", () => {
    let thrown: unknown;
    try {
      Buffer.from(5 as unknown as string);
    } catch (error) {
      thrown = error;
    }
    const back = decode(encode(thrown)) as Error & { code: string };
    expect(Object.getPrototypeOf(back)).toBe(TypeError.prototype);
    expect(back.code).toBe("ERR_INVALID_ARG_TYPE");
    expect(back.message).toBe((thrown as Error).message);
  });

  it("writes a shared reference twice", () => {
    const shared = { a: 1n };
    const back = decode(encode([shared, shared])) as [object, object];
    expect(back[0]).toEqual(shared);
    expect(back[1]).toEqual(shared);
    expect(back[0]).not.toBe(back[1]);
  });

  it("brings frozen, sealed and read-only data back as ordinary data", () => {
    const frozen = Object.freeze({ list: Object.freeze([1, undefined]), sealed: Object.seal({ a: 1 }) });
    const back = decode(encode(frozen)) as { list: unknown[]; added?: number };
    back.added = 1;
    back.list.push(3);
    expect(back).toEqual({ list: [1, undefined, 3], sealed: { a: 1 }, added: 1 });
  });

  it("gives properties their usual attributes", () => {
    const back = decode(encode({ constructor: 1n }));
    expect(Object.getOwnPropertyDescriptor(back, "constructor")).toEqual({
      value: 1n,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });

  it("does not change what it writes or reads, so that a parsed form may be revived again", () => {
    const value = { when: new Date(5), nested: { list: [undefined] } };
    const parsed = JSON.parse(encode(value)) as unknown;
    const before = JSON.stringify(parsed);
    const first = revive(parsed) as typeof value;
    first.nested.list.push(undefined);
    expect(JSON.stringify(parsed)).toBe(before);
    expect(revive(parsed)).toEqual(value);
  });
});

describe("depth", () => {
  const nest = (levels: number, core: unknown): unknown => {
    let value = core;
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
    return value;
  };

  it.each([null, 1n, undefined, -0])("keeps 512 levels around %s", (core) => {
    const value = nest(512, core);
    expect(difference(value, decode(encode(value)))).toBeUndefined();
  });

  it("counts levels, not parts", () => {
    const value = Array.from({ length: 2000 }, (_, i) => [{ i: [undefined] }, new Map([[i, new Set()]])]);
    expect(difference(value, decode(encode(value)))).toBeUndefined();
  });

  it("keeps 512 levels of Maps, errors and arrays", () => {
    let value: unknown = new Map();
    for (let i = 1; i < 512; i++) value = i % 2 === 0 ? new Map([[1, value]]) : new Error("x", { cause: value });
    expect(encode(decode(encode(value)))).toBe(encode(value));
  });
});
