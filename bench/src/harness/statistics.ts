import type { Span } from "./figure.ts";

/** The element below which a share of them lies, 0.5 for the median. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  const at = share * last;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

export function spanOf(numbers: readonly number[]): Span {
  return { least: Math.min(...numbers), greatest: Math.max(...numbers) };
}
