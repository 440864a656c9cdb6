import { markup, type Markup } from "./markup.ts";

/** One bar of a chart: ham and spam are stacked. Counts are never negative. */
export interface Bar {
  readonly label: string;
  readonly ham: number;
  readonly spam: number;
}

const total = (bar: Bar): number => bar.ham + bar.spam;
const largest = (bars: readonly Bar[]): number => Math.max(1, ...bars.map(total));
const tip = (bar: Bar): string => `${bar.label}: ${bar.ham} ham, ${bar.spam} spam`;
/** One decimal, so that the bytes stay few and the same everywhere. */
const px = (value: number): number => Math.round(value * 10) / 10;

const COLUMN = 28;
const MARGIN = 24;
const PLOT = 220;
const BASE = PLOT + 16;

/** Upright stacked bars with a label under each, for a series in time. */
export function columnChart(title: string, bars: readonly Bar[]): Markup {
  const scale = PLOT / largest(bars);
  const width = MARGIN + Math.max(1, bars.length) * COLUMN;
  const height = BASE + 60;
  return markup`<svg class="wide" role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<line class="axis" x1="0" x2="${width}" y1="${BASE}" y2="${BASE}"/>
${bars.map((bar, index) => column(bar, MARGIN + index * COLUMN, scale))}
</svg>`;
}

function column(bar: Bar, left: number, scale: number): Markup {
  const ham = bar.ham * scale;
  const spam = bar.spam * scale;
  const middle = left + COLUMN / 2;
  const foot = BASE + 14;
  return markup`<g><title>${tip(bar)}</title>
<rect class="ham" x="${left + 3}" y="${px(BASE - ham)}" width="${COLUMN - 6}" height="${px(ham)}"/>
<rect class="spam" x="${left + 3}" y="${px(BASE - ham - spam)}" width="${COLUMN - 6}" height="${px(spam)}"/>
<text class="muted" text-anchor="middle" x="${middle}" y="${px(BASE - ham - spam - 4)}">${total(bar)}</text>
<text class="muted" text-anchor="end" transform="rotate(-60 ${middle} ${foot})" x="${middle + 4}" y="${foot}">${bar.label}</text></g>`;
}

const ROW = 24;
const NUMBERS = 50;
const CHARACTER = 6.8;

export interface RowChartSize {
  /** Pixels for the labels on the left; longer labels are cut. */
  readonly labels: number;
  /** Pixels for the longest bar. */
  readonly bars: number;
}

/** Lying stacked bars, one labelled row each, for a ranking. */
export function rowChart(title: string, bars: readonly Bar[], size: RowChartSize): Markup {
  const scale = size.bars / largest(bars);
  const width = size.labels + size.bars + NUMBERS;
  const height = Math.max(1, bars.length) * ROW;
  return markup`<svg role="img" aria-label="${title}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${bars.map((bar, index) => row(bar, index * ROW, size.labels, scale))}
</svg>`;
}

function row(bar: Bar, top: number, left: number, scale: number): Markup {
  const room = Math.floor(left / CHARACTER);
  const label = bar.label.length > room ? `${bar.label.slice(0, room - 1)}…` : bar.label;
  const ham = bar.ham * scale;
  const spam = bar.spam * scale;
  return markup`<g><title>${tip(bar)}</title>
<text text-anchor="end" x="${left - 8}" y="${top + 16}">${label}</text>
<rect class="ham" x="${left}" y="${top + 4}" width="${px(ham)}" height="${ROW - 8}"/>
<rect class="spam" x="${px(left + ham)}" y="${top + 4}" width="${px(spam)}" height="${ROW - 8}"/>
<text class="muted" x="${px(left + ham + spam + 6)}" y="${top + 16}">${total(bar)}</text></g>`;
}
