import { brokenLimits, ratioOf, type Figure, type Limit, type Result, type Span } from "./figure.ts";

const header = ["figure", "value", "unit", "floor", "ratio", "limit", "", "spread", "ratios", "load"] as const;

/** The columns of numbers. */
const numbers = new Set([1, 3, 4]);

export function tableOf(rows: readonly { figure: Figure; result: Result }[]): string {
  return columnsText([header, ...rows.map(({ figure, result }) => rowOf(figure, result))], numbers);
}

/** Columns as wide as what is in them: numbers to the right, words to the left. */
export function columnsText(cells: readonly (readonly string[])[], numeric: ReadonlySet<number>): string {
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return cells
    .map((row) =>
      row
        .map((cell, i) => (numeric.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function rowOf(figure: Figure, result: Result): string[] {
  return [
    figure.name,
    numberText(result.value),
    figure.unit,
    numberText(result.floor),
    numberText(ratioOf(result)),
    figure.limits.map((limit) => limitText(limit, figure.unit)).join(" "),
    brokenLimits(figure, result).length === 0 ? "ok" : "over",
    spanText(result.values),
    spanText(result.ratios),
    result.load.toFixed(1),
  ];
}

export function limitText({ of, atMost, atLeast }: Limit, unit: string): string {
  const bound = atMost === undefined ? `≥${numberText(atLeast ?? 0)}` : `≤${numberText(atMost)}`;
  return `${bound}${of === "ratio" ? "×" : ` ${unit}`}`;
}

export function spanText({ least, greatest }: Span): string {
  return `${numberText(least)}–${numberText(greatest)}`;
}

/** Three digits are more than these numbers are good for. */
export function numberText(number: number): string {
  if (!Number.isFinite(number)) return String(number);
  if (Math.abs(number) >= 1000) return Math.round(number).toLocaleString("en-US").replaceAll(",", " ");
  return String(Number(number.toPrecision(3)));
}
