import type { Span, Tone } from "../format/style.ts";

export interface BarParts {
  /** Shares of the whole, in invocations. */
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

interface Glyphs {
  readonly full: string;
  readonly half: string;
  readonly empty: string;
}

const lines: Glyphs = { full: "━", half: "╸", empty: "─" };
const ascii: Glyphs = { full: "=", half: ">", empty: "-" };

/** A bar of exactly `width` characters: what is done, then what failed, then what is left. */
export function bar({ done, failed, total }: BarParts, width: number, unicode: boolean, tone: Tone): Span[] {
  const glyphs = unicode ? lines : ascii;
  const filled = halves(done + failed, total, width);
  const bad = failed === 0 ? 0 : Math.min(Math.floor(filled / 2), Math.max(1, Math.round((failed / total) * width)));
  const whole = Math.floor(filled / 2) - bad;
  const half = filled % 2;
  const spans: Span[] = [
    [glyphs.full.repeat(whole), tone],
    [glyphs.full.repeat(bad), "bad"],
    [glyphs.half.repeat(half), bad > 0 ? "bad" : tone],
    [glyphs.empty.repeat(width - whole - bad - half), "quiet"],
  ];
  return spans.filter(([text]) => text !== "");
}

/** Half characters filled; full only when nothing is left, and something as soon as anything is done. */
function halves(part: number, total: number, width: number): number {
  if (total <= 0 || part <= 0) return 0;
  if (part >= total) return width * 2;
  return Math.min(width * 2 - 1, Math.max(1, Math.floor((part / total) * width * 2)));
}
