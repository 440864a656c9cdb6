import { errorOf } from "./error.ts";

/** A span of time: milliseconds, or a number with its unit, such as `"250ms"`, `"30s"`, `"1.5h"` or `"3d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const MILLISECONDS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Whole milliseconds of a duration, rounded. `where` names the setting in the error, for instance `fetchPage.timeout.run`.
 * Refuses what is negative, not finite, too large to count in milliseconds, or not of the accepted form.
 */
export function parseDuration(duration: Duration, where: string): number {
  const milliseconds = typeof duration === "string" ? fromText(duration) : duration;
  if (typeof milliseconds === "number" && milliseconds >= 0 && milliseconds <= Number.MAX_SAFE_INTEGER) {
    return Math.round(Math.abs(milliseconds));
  }
  throw errorOf("InvalidDuration", { where, duration: show(duration) });
}

function fromText(text: string): number {
  const match = FORM.exec(text);
  return match === null ? Number.NaN : Number(match[1]) * MILLISECONDS.get(match[2]!)!;
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** In the largest unit that it is a whole number of: `"5 m"`, `"1500 ms"`. */
export function durationText(milliseconds: number): string {
  const [unit, size] = [...MILLISECONDS].findLast(([, each]) => milliseconds % each === 0 && milliseconds >= each) ?? [
    "ms",
    1,
  ];
  return `${milliseconds / size} ${unit}`;
}
