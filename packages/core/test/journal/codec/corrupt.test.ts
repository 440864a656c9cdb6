import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MillraceError } from "../../../src/base/error.ts";
import { decode, encode, revive } from "../../../src/journal/codec/codec.ts";
import { sparse } from "./sparse.ts";

/** The error of an action, which must be one that names the journal as corrupt. */
const corruption = (action: () => unknown): MillraceError => {
  const error = failureOf(action);
  if (error instanceof MillraceError && error.code === "JournalCorrupt") return error;
  throw new Error("not JournalCorrupt", { cause: error });
};

const failureOf = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
};

const wrap = (form: unknown): string => JSON.stringify({ $t: form });

const malformedTexts: [string, string][] = [
  ["not JSON", "{"],
  ["empty text", ""],
  ["undefined as text", "undefined"],
  ["keys beside the tag", '{"$t":1,"a":2}'],
  ["a blob reference in place of a value", '{"$b":"abc"}'],
  ["a tag and a blob reference", '{"$t":1,"$b":2}'],
];

const malformedForms: [string, unknown][] = [
  ["an unknown tag", { $t: "Blob" }],
  ["a tag that is no string", { $t: { $t: { $t: 1 } } }],
  ["a tag named like a member of Object.prototype", { $t: "constructor" }],
  ["__proto__ as a tag", { $t: "__proto__", v: {} }],
  ["toString as a tag", { $t: "toString" }],
  ["an ordinary number as an odd one", { $t: "number", v: "5" }],
  ["a number that is no string", { $t: "number", v: 5 }],
  ["bigint of letters", { $t: "bigint", v: "x" }],
  ["bigint in hexadecimal", { $t: "bigint", v: "0x10" }],
  ["empty bigint", { $t: "bigint", v: "" }],
  ["bigint -0", { $t: "bigint", v: "-0" }],
  ["bigint that is a number", { $t: "bigint", v: 5 }],
  ["Date of words", { $t: "Date", v: "yesterday" }],
  ["Date in another notation", { $t: "Date", v: "2026-01-01" }],
  ["Date as a number", { $t: "Date", v: 5 }],
  ["Map of nothing", { $t: "Map" }],
  ["Map of an object", { $t: "Map", v: {} }],
  ["Map with half an entry", { $t: "Map", v: [["a"]] }],
  ["Map with an entry that is no pair", { $t: "Map", v: ["ab"] }],
  [
    "Map with a key twice",
    {
      $t: "Map",
      v: [
        ["a", 1],
        ["a", 2],
      ],
    },
  ],
  ["Set of an object", { $t: "Set", v: {} }],
  ["Set with an item twice", { $t: "Set", v: [1, 1] }],
  ["URL of words", { $t: "URL", v: "not a url" }],
  ["URL in another notation", { $t: "URL", v: "HTTPS://A.example" }],
  ["URL that is no string", { $t: "URL", v: [1] }],
  ["RegExp that does not compile", { $t: "RegExp", v: ["(", "", 0] }],
  ["RegExp with unknown flags", { $t: "RegExp", v: ["a", "q", 0] }],
  ["RegExp with a lastIndex that is no integer", { $t: "RegExp", v: ["a", "", "0"] }],
  ["RegExp without flags", { $t: "RegExp", v: ["a"] }],
  ["RegExp of a string", { $t: "RegExp", v: "abc" }],
  ["Error of nothing", { $t: "Error" }],
  ["Error of an array", { $t: "Error", v: [] }],
  ["Error of an unknown class", { $t: "Error", v: { class: "Function" } }],
  ["Error whose class is inherited", { $t: "Error", v: { class: "constructor" } }],
  ["Error with a stack that is no text", { $t: "Error", v: { class: "Error", stack: {} } }],
  ["Error with own that is no object", { $t: "Error", v: { class: "Error", own: [] } }],
  ["Error with props that are no array", { $t: "Error", v: { class: "Error", props: {} } }],
  ["Error with a prop that is no pair", { $t: "Error", v: { class: "Error", props: [["a"]] } }],
  ["Error with a prop whose key is no string", { $t: "Error", v: { class: "Error", props: [[1, 2]] } }],
  ["bytes that are no string", { $t: "Uint8Array", v: [1, 2] }],
  ["bytes of odd length", { $t: "Uint8Array", v: "abc" }],
  ["bytes with foreign characters", { $t: "Buffer", v: "ab*d" }],
  ["bytes with padding inside", { $t: "ArrayBuffer", v: "a=bc" }],
  ["padding only", { $t: "DataView", v: "====" }],
  ["bytes that are no whole element", { $t: "Float64Array", v: "AQID" }],
  ["sparse array of nothing", { $t: "sparse", v: [] }],
  ["sparse array longer than arrays are", { $t: "sparse", v: [2 ** 32] }],
  ["sparse array with a negative length", { $t: "sparse", v: [-1] }],
  ["sparse array with an index beyond its length", { $t: "sparse", v: [2, [2, 1]] }],
  ["sparse array with an index that is a key", { $t: "sparse", v: [2, ["__proto__", 1]] }],
  ["sparse array with an index twice", { $t: "sparse", v: [2, [0, 1], [0, 2]] }],
  ["null-prototype object of an array", { $t: "null-prototype", v: [] }],
  ["escaped object of nothing", { $t: "object" }],
  ["instance of a class nobody registered", { $t: "class", v: ["Money", 1] }],
  ["instance of a class named like a global", { $t: "class", v: ["Function", "return process"] }],
  ["instance without data", { $t: "class", v: ["Money"] }],
  ["instance whose name is no string", { $t: "class", v: [{}, 1] }],
];

describe("R24: the decoder is total", () => {
  it.each(malformedTexts)("%s is JournalCorrupt", (_, text) => {
    expect(corruption(() => decode(text)).message).toContain("journaled value: ");
  });

  it.each(malformedForms)("%s is JournalCorrupt, at the top and inside", (_, form) => {
    for (const whole of [form, [{ deep: form }], { $t: "Map", v: [[1, form]] }]) {
      expect(corruption(() => decode(wrap(whole))).message).toContain("journaled value: ");
    }
  });

  it("answers or throws JournalCorrupt for any form at all", () => {
    const tags = [
      "undefined",
      "number",
      "bigint",
      "Date",
      "Map",
      "Set",
      "URL",
      "RegExp",
      "Error",
      "Buffer",
      "Uint8Array",
    ];
    const tag = fc.constantFrom(
      ...tags,
      "Float64Array",
      "DataView",
      "sparse",
      "null-prototype",
      "object",
      "class",
      "__proto__",
    );
    const { form } = fc.letrec((tie) => ({
      form: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>(null, 0, 1, "", "AQID", "Error", "message", "2", "x"),
        fc.array(tie("form"), { maxLength: 3 }),
        fc.record({ $t: tag, v: tie("form") }),
        fc.record({ class: fc.constant("Error"), own: tie("form"), props: tie("form") }),
        fc.dictionary(fc.constantFrom("__proto__", "constructor", "v", "$t", "a"), tie("form")),
      ),
    }));
    let answers = 0;
    fc.assert(
      fc.property(form, (any) => {
        const decoded = failureOf(() => decode(wrap(any))) === undefined;
        if (decoded) encode(decode(wrap(any)));
        else corruption(() => decode(wrap(any)));
        answers += decoded ? 1 : 0;
      }),
      { numRuns: 3000 },
    );
    expect(answers).toBeGreaterThan(100);
  });

  it("a text cut short or changed in one character never escapes as another error", () => {
    const text = encode({
      map: new Map([[1n, new Date(5)]]),
      error: new TypeError("x"),
      bytes: new Uint8Array(9),
      hole: sparse(2, [1, 1]),
    });
    for (let i = 0; i < text.length; i++) {
      for (const changed of [text.slice(0, i), `${text.slice(0, i)}0${text.slice(i + 1)}`]) {
        const error = failureOf(() => decode(changed));
        expect(error === undefined || (error as MillraceError).code === "JournalCorrupt", changed).toBe(true);
      }
    }
  });

  it("a form nested without end is JournalCorrupt, not a stack overflow", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
      ['{"$t":"Set","v":[', "]}"],
      ['{"$t":"Map","v":[[0,', "]]}"],
    ]) {
      const levels = 100_000;
      const text = `{"$t":${open!.repeat(levels)}1${close!.repeat(levels)}}`;
      expect(corruption(() => decode(text)).message).toContain("nested deeper");
    }
  });

  it("a sparse array of the greatest length costs no memory", () => {
    const arrays = decode(wrap(Array.from({ length: 200 }, () => ({ $t: "sparse", v: [30_000_000] })))) as unknown[][];
    expect(arrays[0]).toHaveLength(30_000_000);
    expect(Object.keys(arrays[0]!)).toHaveLength(0);
    expect((decode(wrap({ $t: "sparse", v: [2 ** 32 - 1] })) as unknown[]).length).toBe(2 ** 32 - 1);
  });

  it("says what to do", () => {
    expect(corruption(() => decode(wrap({ $t: "class", v: ["Money", 1] }))).message).toContain('"Money"');
    expect(corruption(() => decode(wrap({ $t: "class", v: ["Money", 1] }))).hint).toContain("register");
  });

  it("returns what is no object as it is", () => {
    for (const value of [undefined, null, 5, "x", Symbol.iterator]) expect(revive(value)).toBe(value);
  });
});

describe("R24: hostile data stays data", () => {
  it("never touches Object.prototype, and works where it is frozen", () => {
    const codec = fileURLToPath(new URL("../../../src/journal/codec/codec.ts", import.meta.url));
    const script = `
      import assert from "node:assert/strict";
      const { decode, encode, canonical } = await import(${JSON.stringify(codec)});
      for (const prototype of [Object, Array, Function, Error, Map, Set, RegExp, Date, URL].map((type) => type.prototype)) Object.freeze(prototype);
      const hostile = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"x":null}';
      for (const value of [JSON.parse(hostile), { ...JSON.parse(hostile), big: 1n }, Object.assign(Object.create(null), { toString: 1n })]) {
        assert.deepStrictEqual(decode(encode(value)), value);
        canonical(value);
      }
      const forms = ['{"$t":' + hostile + '}', '{"$t":{"$t":"object","v":' + hostile + '}}', '{"$t":{"$t":"null-prototype","v":' + hostile + '}}'];
      for (const text of forms) {
        const value = decode(text);
        assert.deepStrictEqual(Object.keys(value), ["__proto__", "constructor", "toString", "x"]);
        assert.equal(Object.getOwnPropertyDescriptor(value, "__proto__").value.polluted, 1);
      }
      const error = decode('{"$t":{"$t":"Error","v":{"class":"Error","own":{"__proto__":1,"message":"m"},"props":[["__proto__",{"polluted":1}],["constructor",2],["toString",3]]}}}');
      assert.equal(Object.getPrototypeOf(error), Error.prototype);
      assert.deepStrictEqual(Object.keys(error), ["__proto__", "constructor", "toString"]);
      assert.equal({}.polluted, undefined);
      assert.equal([].polluted, undefined);
      process.stdout.write("ok");
    `;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe("ok");
  });

  it("ignores tags that are inherited", () => {
    const root: object = Object.prototype;
    Object.defineProperty(root, "$t", { value: "Map", configurable: true });
    try {
      expect(decode('{"a":1}')).toEqual({ a: 1 });
      expect(decode('{"$t":{"a":{"$t":"undefined"},"b":{"c":1}}}')).toEqual({ a: undefined, b: { c: 1 } });
    } finally {
      Reflect.deleteProperty(root, "$t");
    }
  });

  it("does not take the shape of another library's classes for instances", () => {
    const message = { lc: 1, type: "constructor", id: ["langchain_core", "messages", "AIMessage"], kwargs: {} };
    const back = decode(encode({ message, odd: Number.NaN })) as { message: object };
    expect(Object.getPrototypeOf(back.message)).toBe(Object.prototype);
    expect(back.message).toEqual(message);
  });
});
