import { describe, expect, test } from "vitest";
import type { CliFailure } from "../../src/cli/errors/failure.ts";
import { findJsonMistake } from "../../src/cli/input/json-position.ts";
import { parseInput } from "../../src/cli/input/read-input.ts";

function failureOf(run: () => unknown): CliFailure {
  try {
    run();
  } catch (error) {
    return error as CliFailure;
  }
  throw new Error("it did not throw");
}

describe("where JSON stops being JSON", () => {
  test.each([
    ["{'a': 1}", 1],
    ['{"a" 1}', 5],
    ['{"a": 1,}', 8],
    ['{"a": 1 "b": 2}', 8],
    ["[1, 2", 5],
    ["[1,, 2]", 3],
    ["[1 2]", 3],
    ["", 0],
    ["{} x", 3],
    ["nul", 0],
    ["truex", 0],
    ["01", 0],
    ["1.", 0],
    ["-", 0],
    ['"abc', 0],
    ['["a\\x"]', 1],
    ['["a\nb"]', 1],
    ["{]", 1],
    ["[}", 1],
    ['{"a": [1, {"b": tru}]}', 16],
    ["]", 0],
    ["\u00A0{}", 0],
  ])("%j at %d", (text, offset) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(findJsonMistake(text).offset).toBe(offset);
  });

  test.each(['{"a":[1,-2.5e+3,"\\u00e4\\n",true,false,null,{}],"b":[]}', " 1 ", '"x"', "[[],{}]", '{"":0}'])(
    "%s is JSON",
    (text) => {
      expect(JSON.parse(text)).toBeDefined();
      expect(findJsonMistake(text).offset).toBe(text.length);
    },
  );

  test("line and column count from one", () => {
    expect(findJsonMistake('{\n  "a": 1,\n  b: 2\n}')).toEqual({ offset: 14, line: 3, column: 3 });
  });

  test("a long text is scanned in one go", () => {
    const text = `{"a": "${"x\\n".repeat(300_000)}", "b": ${"[".repeat(50_000)}`;
    expect(findJsonMistake(text).offset).toBe(text.length);
  });
});

describe("the input", () => {
  test("is any JSON value", () => {
    expect(parseInput('{"a":[1]}', "--input")).toEqual({ a: [1] });
    expect(parseInput("7", "--input")).toBe(7);
  });

  test("that is malformed is told with its place", () => {
    const failure = failureOf(() => parseInput('{"topic": "a",\n  limit: 3}', "input.json"));
    expect(failure.message).toBe('the input from input.json is not JSON: unexpected "l" at line 2, column 3');
    expect(failure.details).toEqual(["  limit: 3}", "  ^"]);
    expect(failure.exit).toBe(2);
  });

  test("that ends too early says so", () => {
    expect(failureOf(() => parseInput('{"a": [1', "--input")).message).toContain(
      "it ends too early at line 1, column 9",
    );
  });

  test("that lost its quotes to the shell gets a hint about them", () => {
    expect(failureOf(() => parseInput("{a: 1}", "--input")).hint).toContain("@file.json");
  });

  test("that is empty is no input", () => {
    expect(failureOf(() => parseInput(" \n", "standard input")).message).toBe("the input from standard input is empty");
  });

  test("shows only a part of a long line", () => {
    const failure = failureOf(() => parseInput(`{"a": "${"x".repeat(500)}" "b": 1}`, "--input"));
    expect(failure.details[0]).toHaveLength(47);
    expect(failure.details[1]).toBe(`${" ".repeat(40)}^`);
  });
});
