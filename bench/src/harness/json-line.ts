import { ratioOf, type Figure, type Result } from "./figure.ts";

/** One line of `--json`. */
export function jsonLine({ name, unit }: Figure, result: Result): string {
  const { value, floor } = result;
  return JSON.stringify({ name, value: rounded(value), unit, floor: rounded(floor), ratio: rounded(ratioOf(result)) });
}

function rounded(number: number): number {
  return Number(number.toPrecision(6));
}
