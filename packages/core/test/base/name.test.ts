import { describe, expect, it } from "vitest";
import { isName, nearest } from "../../src/base/name.ts";

describe("isName", () => {
  it.each(["a", "_", "fetchPage", "A-1_b", "a".repeat(64), "__proto__"])("accepts %j", (name) => {
    expect(isName(name)).toBe(true);
  });

  it.each(["", "1a", "-a", "a b", "a.b", "a/b", "a\n", "é", "a".repeat(65)])("refuses %j", (name) => {
    expect(isName(name)).toBe(false);
  });
});

describe("nearest", () => {
  const names = ["fetchPage", "summarize", "extract", "approve"];

  it.each([
    ["fetchpage", "fetchPage"],
    ["fetcPage", "fetchPage"],
    ["fetchhPage", "fetchPage"],
    ["fetchPgae", "fetchPage"],
    ["summarise", "summarize"],
    ["aprove", "approve"],
  ])("takes %j for %j", (typed, meant) => {
    expect(nearest(typed, names)).toBe(meant);
  });

  it("stays silent when nothing is near", () => {
    expect(nearest("translate", names)).toBeUndefined();
    expect(nearest("fetch", names)).toBeUndefined();
    expect(nearest("x", [])).toBeUndefined();
  });

  it("does not take short names for each other", () => {
    expect(nearest("id", ["to", "url"])).toBeUndefined();
    expect(nearest("ip", ["url", "id"])).toBe("id");
  });

  it("prefers the smallest distance, then the first candidate", () => {
    expect(nearest("item", ["items", "item1"])).toBe("items");
    expect(nearest("abcdef", ["abcxyz", "abcdex"])).toBe("abcdex");
    expect(nearest("same", ["sane", "same"])).toBe("same");
  });

  it("counts a swap of neighbours as one edit, and three edits as the most", () => {
    expect(nearest("abcdefgh", ["badcfegh"])).toBe("badcfegh");
    expect(nearest("abcdefgh", ["badcfehg"])).toBeUndefined();
  });
});
