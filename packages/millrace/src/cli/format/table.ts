import { type Paint, type Span, paintSpans } from "./style.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const gap = "  ";

/** Lines of a table whose columns are as wide as their widest cell; the last left-aligned one is not padded. */
export function table(columns: readonly Column[], rows: readonly (readonly Span[])[], paint: Paint): string[] {
  const widths = columns.map(({ title }, index) =>
    rows.reduce((widest, row) => Math.max(widest, row[index]?.[0].length ?? 0), title.length),
  );
  const line = (cells: readonly Span[]): string => {
    const spans = cells.map(([text, tone], index): Span => {
      const right = columns[index]?.align === "right";
      const width = widths[index] ?? 0;
      const last = index === columns.length - 1;
      return [right ? text.padStart(width) : last ? text : text.padEnd(width), tone];
    });
    return paintSpans(
      spans.flatMap((span, index): Span[] => (index === 0 ? [span] : [[gap], span])),
      paint,
    ).trimEnd();
  };
  return [line(columns.map(({ title }): Span => [title, "quiet"])), ...rows.map(line)];
}
