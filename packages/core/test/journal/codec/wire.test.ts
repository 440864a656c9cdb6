import { describe, expect, it } from "vitest";
import { decode, encode } from "../../../src/journal/codec/codec.ts";
import { Registry } from "../../../src/journal/codec/registry.ts";
import { sparse } from "./sparse.ts";

class Money {
  readonly amount: bigint;
  constructor(amount: bigint) {
    this.amount = amount;
  }
}

const registry = new Registry().register("Money", Money, {
  encode: (money) => money.amount,
  decode: (data) => new Money(data as bigint),
});

const quiet = (error: Error): Error => {
  delete error.stack;
  return error;
};

/** The form on disk. A line here may be added, never changed: journals of every release must be read. */
const golden: [string, unknown][] = [
  ['{"a":[1,"x",null,true]}', { a: [1, "x", null, true] }],
  ['{"a":{"$t":"Map","v":[]}}', { a: { $t: "Map", v: [] } }],
  ['"\\ud800"', "\ud800"],
  ['{"$t":{"$t":"undefined"}}', undefined],
  ['{"$t":{"a":1,"b":{"$t":"undefined"}}}', { a: 1, b: undefined }],
  ['{"$t":{"$t":"number","v":"NaN"}}', Number.NaN],
  ['{"$t":{"$t":"number","v":"Infinity"}}', Number.POSITIVE_INFINITY],
  ['{"$t":{"$t":"number","v":"-Infinity"}}', Number.NEGATIVE_INFINITY],
  ['{"$t":[{"$t":"number","v":"-0"}]}', [-0]],
  ['{"$t":{"$t":"bigint","v":"-12"}}', -12n],
  ['{"$t":{"$t":"Date","v":"1970-01-01T00:00:00.005Z"}}', new Date(5)],
  ['{"$t":{"$t":"Date"}}', new Date(Number.NaN)],
  [
    '{"$t":{"$t":"Map","v":[["k",1],[2,{"$t":"Set","v":[3]}]]}}',
    new Map<unknown, unknown>([
      ["k", 1],
      [2, new Set([3])],
    ]),
  ],
  ['{"$t":{"$t":"URL","v":"https://a.example/"}}', new URL("https://a.example")],
  ['{"$t":{"$t":"RegExp","v":["a+","gi",0]}}', /a+/gi],
  ['{"$t":{"$t":"Uint8Array","v":"AQID"}}', new Uint8Array([1, 2, 3])],
  ['{"$t":{"$t":"Float64Array","v":"AAAAAAAA8D8="}}', new Float64Array([1])],
  ['{"$t":{"$t":"Buffer","v":"aGk="}}', Buffer.from("hi")],
  ['{"$t":{"$t":"ArrayBuffer","v":"/w=="}}', new Uint8Array([255]).buffer],
  ['{"$t":{"$t":"DataView","v":"/w=="}}', new DataView(new Uint8Array([255]).buffer)],
  ['{"$t":{"$t":"sparse","v":[3,[1,"x"]]}}', sparse(3, [1, "x"])],
  ['{"$t":{"$t":"null-prototype","v":{"a":1}}}', Object.assign(Object.create(null) as object, { a: 1 })],
  ['{"$t":{"$t":"object","v":{"$t":1}}}', { $t: 1 }],
  ['{"$t":{"$b":1}}', { $b: 1 }],
  ['{"$t":{"$t":"class","v":["Money",{"$t":"bigint","v":"5"}]}}', new Money(5n)],
  [
    '{"$t":{"$t":"Error","v":{"class":"TypeError","own":{"message":"m","cause":1},"props":[["code","E"]]}}}',
    quiet(Object.assign(new TypeError("m", { cause: 1 }), { code: "E" })),
  ],
  [
    '{"$t":{"$t":"Error","v":{"class":"Error","stack":"s"}}}',
    Object.defineProperty(new Error(), "stack", { value: "s" }),
  ], // oxlint-disable-line unicorn/error-message
  [
    '{"$t":{"$t":"Error","v":{"class":"Error","own":{"message":"m"},"props":[["name","N"]]}}}',
    quiet(Object.assign(new Error("m"), { name: "N" })),
  ],
  [
    '{"$t":{"$t":"Error","v":{"class":"AggregateError","own":{"message":"m","errors":[1]}}}}',
    quiet(new AggregateError([1], "m")),
  ],
];

describe("the wire form is frozen", () => {
  it.each(golden)("%s", (text, value) => {
    expect(encode(value, registry)).toBe(text);
    expect(decode(text, registry)).toEqual(value);
  });

  it("takes exactly JSON.stringify for values that are JSON", () => {
    const value = { b: 1, a: [{ c: "é\u2028", n: null, t: true, f: 1.5e300 }] };
    expect(encode(value)).toBe(JSON.stringify(value));
  });
});
