import { describe, expect, test, vi } from "vitest";
import { plain, toJson } from "../../src/cli/format/json.ts";
import { rate } from "../../src/cli/format/number.ts";
import { fitSpans, painted, paintFor, paintSpans, unicodeFor, unpainted } from "../../src/cli/format/style.ts";
import { table } from "../../src/cli/format/table.ts";
import { oneLine } from "../../src/cli/format/text.ts";
import { columnTime, duration, isoTime, stopwatch } from "../../src/cli/format/time.ts";

describe("time", () => {
  test("F34 times are UTC whatever the machine's zone", () => {
    vi.stubEnv("TZ", "Asia/Kathmandu");
    expect(isoTime(1_740_830_400_000)).toBe("2025-03-01T12:00:00.000Z");
    expect(columnTime(1_740_830_400_000)).toBe("2025-03-01 12:00:00");
  });

  test.each([
    [0, "0ms"],
    [839.6, "840ms"],
    [1_000, "1.0s"],
    [59_949, "59.9s"],
    [59_950, "1m 00s"],
    [245_000, "4m 05s"],
    [7_380_000, "2h 03m"],
    [273_600_000, "3d 04h"],
  ])("duration of %d ms is %s", (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test("a stopwatch keeps its width", () => {
    expect([7_900, 599_000, 3_723_000].map(stopwatch)).toEqual(["00:07", "09:59", "1:02:03"]);
  });
});

test("rates are told in the unit that reads best", () => {
  expect([0, NaN, 1_202.6, 9.96, 3.21, 0.94, 0.01].map(rate)).toEqual([
    "",
    "",
    "1,203/s",
    "10/s",
    "3.2/s",
    "56/min",
    "",
  ]);
});

describe("values as JSON", () => {
  test("what JSON has no form for is written in the nearest readable one", () => {
    const value = {
      date: new Date(0),
      big: 12n ** 20n,
      nan: NaN,
      set: new Set([1, 1n]),
      map: new Map([["a", new Date(0)]]),
      pairs: new Map([[1, "a"]]),
      bytes: new Uint8Array([1, 2, 3]),
      url: new URL("https://example.org/a"),
      error: Object.assign(new TypeError("no", { cause: "why" }), { code: "E" }),
      gone: undefined,
      holes: [undefined, 1],
    };
    expect(JSON.parse(toJson(value))).toEqual({
      date: "1970-01-01T00:00:00.000Z",
      big: String(12n ** 20n),
      nan: "NaN",
      set: [1, "1"],
      map: { a: "1970-01-01T00:00:00.000Z" },
      pairs: [[1, "a"]],
      bytes: "AQID",
      url: "https://example.org/a",
      error: { name: "TypeError", message: "no", code: "E", cause: "why" },
      holes: [null, 1],
    });
  });

  test("an own __proto__ key stays a key", () => {
    expect(toJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(Object.getPrototypeOf(plain({ a: 1 }))).toBe(Object.prototype);
  });

  test("no value at all is null", () => {
    expect(toJson(undefined)).toBe("null");
  });
});

describe("colour", () => {
  const terminal = { isTTY: true };
  test("NO_COLOR wins, FORCE_COLOR comes next, then terminals have colour", () => {
    expect(paintFor(terminal, {})).toBe(painted);
    expect(paintFor(terminal, { NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(unpainted);
    expect(paintFor(terminal, { NO_COLOR: "" })).toBe(painted);
    expect(paintFor({}, {})).toBe(unpainted);
    expect(paintFor({}, { FORCE_COLOR: "1" })).toBe(painted);
    expect(paintFor(terminal, { FORCE_COLOR: "0" })).toBe(unpainted);
    expect(paintFor(terminal, { TERM: "dumb" })).toBe(unpainted);
  });

  test("line-drawing characters need a terminal that shows them", () => {
    expect(unicodeFor({ LANG: "de_DE.UTF-8" }, "linux")).toBe(true);
    expect(unicodeFor({ LANG: "de_DE.ISO-8859-1" }, "linux")).toBe(false);
    expect(unicodeFor({ LC_ALL: "C", LANG: "de_DE.UTF-8" }, "linux")).toBe(false);
    expect(unicodeFor({}, "win32")).toBe(false);
    expect(unicodeFor({ WT_SESSION: "1" }, "win32")).toBe(true);
  });
});

test("a line that is too long is cut by what is seen, not by its colours", () => {
  const spans = fitSpans(
    [
      ["abc", "good"],
      ["defgh", "bad"],
    ],
    6,
  );
  expect(paintSpans(spans, unpainted)).toBe("abcde…");
  expect(fitSpans([["abc", "good"]], 3)).toEqual([["abc", "good"]]);
});

test("text from elsewhere cannot move the cursor", () => {
  expect(oneLine("a\u001B[2J\u001B]0;title\u0007b\r\nc\u0008d\te")).toBe("ab c\uFFFDd  e");
});

test("a table is as wide as its cells", () => {
  const lines = table(
    [{ title: "ID" }, { title: "N", align: "right" }, { title: "NOTE" }],
    [
      [["a"], ["1,000"], ["x"]],
      [["long"], ["7"], [""]],
    ],
    unpainted,
  );
  expect(lines).toEqual(["ID        N  NOTE", "a     1,000  x", "long      7"]);
});
