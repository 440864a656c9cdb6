import { expect, test } from "vitest";
import { harnessFailed } from "../../src/testing/crash/failure.ts";

test("R28 a fault that comes often does not hide the others", () => {
  const often = Array.from(
    { length: 30 },
    (_, i) => `run a: P3.8a life 1: link${i} began, and nothing durable says so`,
  );
  const { message } = harnessFailed(7, 2, [...often, "run a: I1: record 9 is not there", "the run has an owner"]);
  expect(message.split("\n  ").slice(1)).toEqual([
    ...often.slice(0, 5),
    "25 more of P3.8a",
    "run a: I1: record 9 is not there",
    "the run has an owner",
    expect.stringMatching(/^hint/),
  ]);
});
