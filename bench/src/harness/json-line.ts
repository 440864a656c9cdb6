import { ratioOf, type Figure, type Result } from "./figure.ts";

/** One line of `--json`. The ratio is that of the two numbers as they are printed: a reader who divides them comes to the same digits. */
export function jsonLine({ name, unit }: Figure, result: Result): string {
  const value = rounded(result.value);
  const floor = rounded(result.floor);
  return JSON.stringify({ name, value, unit, floor, ratio: rounded(ratioOf({ value, floor })) });
}

/** To six digits. */
export function rounded(number: number): number {
  return Number(number.toPrecision(6));
}
