import { describe, expect, it } from "vitest";
import { type Duration, durationText, parseDuration } from "../../src/base/duration.ts";
import { MillraceError } from "../../src/base/error.ts";

describe("parseDuration", () => {
  it.each<[Duration, number]>([
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1.5h", 5_400_000],
    ["3d", 259_200_000],
    ["0s", 0],
    [1234, 1234],
    [0, 0],
    ["1.1m", 66_000], // 1.1 * 60000 is 66000.00000000001
    [0.6, 1],
  ])("reads %j as %i ms", (duration, milliseconds) => {
    expect(parseDuration(duration, "x")).toBe(milliseconds);
  });

  it("reads -0 as 0", () => {
    expect(Object.is(parseDuration(-0, "x"), 0)).toBe(true);
  });

  it.each([
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1e300,
    "",
    "30",
    "s",
    "-5s",
    "30 s",
    " 30s",
    "30s\n",
    "1e3s",
    "0x10s",
    "Infinitys",
    ".5s",
    "5.s",
    "30sec",
    "30S",
    "5w",
    "1h30m",
    null,
    undefined,
    {},
  ])("refuses %s, naming where it stands, what it is and what is accepted", (bad) => {
    const error = refusal(bad);
    expect(error).toBeInstanceOf(MillraceError);
    expect(error.code).toBe("InvalidDuration");
    expect(error.message).toContain("fetchPage.timeout.run: ");
    expect(error.message).toContain(typeof bad === "string" ? JSON.stringify(bad) : `${bad as number}`);
    expect(error.message).toContain('"30s"');
  });
});

function refusal(bad: unknown): MillraceError {
  try {
    parseDuration(bad as Duration, "fetchPage.timeout.run");
  } catch (error) {
    return error as MillraceError;
  }
  throw new Error("nothing was thrown");
}

it("is told in the largest unit that it is a whole number of", () => {
  expect([0, 1, 250, 1_000, 1_500, 90_000, 300_000, 7_200_000, 172_800_000].map(durationText)).toEqual([
    "0 ms",
    "1 ms",
    "250 ms",
    "1 s",
    "1500 ms",
    "90 s",
    "5 m",
    "2 h",
    "2 d",
  ]);
});
