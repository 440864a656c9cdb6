import { expect, test } from "vitest";
import type { Figure, Result } from "../src/harness/figure.ts";
import { jsonLine } from "../src/harness/json-line.ts";

const figure: Figure = {
  name: "sync-op",
  title: "",
  unit: "ns",
  limits: [],
  floor: "",
  blind: "",
  measure: () => Promise.reject(new Error("it is measured already")),
};

function printed(value: number, floor: number): { value: number; floor: number; ratio: number } {
  const none = { least: 0, greatest: 0 };
  const result: Result = { name: "", load: 0, value, floor, values: none, ratios: none, repeats: 1, notes: [] };
  return JSON.parse(jsonLine(figure, result)) as { value: number; floor: number; ratio: number };
}

/** Numbers of every order from a billionth to a billion; their digits have no pattern, and are the same in every run. */
const numbers = Array.from({ length: 19 * 40 }, (_, i) => (1 + 9 * ((i * Math.SQRT2) % 1)) * 10 ** ((i % 19) - 9));

test("numbers of every magnitude are printed to six digits", () => {
  for (const number of numbers) {
    const { value, floor } = printed(number, number);
    expect(floor).toBe(value);
    // Half of one in the sixth digit, and what a double cannot hold.
    expect(Math.abs(value / number - 1)).toBeLessThanOrEqual(5e-6 + Number.EPSILON);
    expect(value.toExponential().replace(/[.-]|e.*/g, "").length).toBeLessThanOrEqual(6);
  }
});

test("the ratio of numbers of every magnitude is that of the numbers that are printed, to its sixth digit", () => {
  for (const [i, number] of numbers.entries()) {
    const other = numbers[(i * 7 + 3) % numbers.length]!;
    const { value, floor, ratio } = printed(number, other);
    expect(ratio).toBe(Number((value / floor).toPrecision(6)));
    // Three times half of one in the sixth digit, from the numbers as they were measured.
    expect(Math.abs(ratio / (number / other) - 1)).toBeLessThan(1.50001e-5);
  }
});

test("where rounding the numbers changes the sixth digit of their ratio, it is printed as a reader would compute it", () => {
  // Measured, it is 8.486037.
  expect(printed(9.159_744, 1.079_39)).toMatchObject({ value: 9.159_74, floor: 1.079_39, ratio: 8.486_03 });
});
