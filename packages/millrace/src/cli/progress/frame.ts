/** A snapshot as the lines of one frame: pure, so that tests compare whole frames. */
import { count, rate } from "../format/number.ts";
import { fitSpans, type Span, spansLength, type Tone } from "../format/style.ts";
import { stopwatch } from "../format/time.ts";
import { bar } from "./bar.ts";
import { chooseNodes } from "./choose-nodes.ts";
import type { RunProgress } from "./model.ts";
import { amountOf, isOver, type NodeProgress } from "./node-progress.ts";

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

export interface FrameOptions extends FrameSize {
  readonly unicode: boolean;
  /** What the run is doing, or what it ended as. */
  readonly phase: { readonly text: string; readonly tone: Tone };
}

/** Widths of the columns, equal in all rows of a frame. */
interface Layout {
  readonly name: number;
  readonly bar: number;
  readonly counts: number;
  readonly rate: number;
  readonly unicode: boolean;
}

export function renderFrame(run: RunProgress, options: FrameOptions): Span[][] {
  const { shown, note } = chooseNodes(run.nodes, Math.max(1, options.rows - 2));
  const layout = chooseLayout(shown, run.open, options);
  const lines = [header(run, options), ...shown.map((node) => row(node, run.open, layout))];
  if (note !== undefined) lines.push([["  "], [note, "quiet"]]);
  // One column stays free: a line as wide as the terminal would wrap on some of them.
  return lines.map((line) => fitSpans(line, options.columns - 1, options.unicode ? "…" : "~"));
}

function header(run: RunProgress, { phase, unicode }: FrameOptions): Span[] {
  const dot: Span = [unicode ? " · " : " | ", "quiet"];
  const active = run.nodes.reduce((sum, node) => sum + node.inFlight, 0);
  const asked = run.nodes.reduce((sum, node) => sum + node.asked, 0);
  const failed = run.nodes.reduce((sum, node) => sum + node.failed, 0);
  const spans: Span[] = [[run.graph, "strong"], dot, [phase.text, phase.tone], dot, [stopwatch(run.elapsedMs)]];
  if (active > 0) spans.push(dot, [`${count(active)} in flight`]);
  if (asked > 0) spans.push(dot, [`${count(asked)} to answer`, "warn"]);
  if (failed > 0) spans.push(dot, [`${count(failed)} failed`, "bad"]);
  if (run.runId !== "") spans.push(dot, [run.runId, "quiet"]);
  return spans;
}

function chooseLayout(nodes: readonly NodeProgress[], open: boolean, { columns, unicode }: FrameOptions): Layout {
  const widest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, text.length), 0);
  const name = Math.min(widest(nodes.map((node) => node.node)), Math.max(10, Math.floor(columns * 0.35)));
  const counts = widest(nodes.map((node) => amountOf(node, open)));
  const rates = columns >= 72 ? Math.max(8, widest(nodes.map((node) => rate(node.perSecond)))) : 0;
  const noteRoom = columns >= 100 ? 36 : columns >= 72 ? 24 : 12;
  const room = columns - 1 - (2 + name + 2) - (2 + counts) - (rates > 0 ? 2 + rates : 0) - noteRoom;
  return { name, bar: room < 6 ? 0 : Math.min(28, room), counts, rate: rates, unicode };
}

function row(node: NodeProgress, open: boolean, layout: Layout): Span[] {
  const { tone, idle } = look(node);
  const spans: Span[] = [["  "], [fitName(node.node, layout).padEnd(layout.name), idle ? "quiet" : "plain"]];
  if (layout.bar > 0) spans.push(["  "], ...bar(shares(node), layout.bar, layout.unicode, tone));
  spans.push(["  "], [amountOf(node, open).padStart(layout.counts), idle ? "quiet" : "plain"]);
  if (layout.rate > 0) spans.push(["  "], [rate(node.perSecond).padStart(layout.rate), "quiet"]);
  for (const [text, noteTone] of notes(node)) spans.push(["  "], [text, noteTone]);
  return trimEnd(spans);
}

function look(node: NodeProgress): { tone: Tone; idle: boolean } {
  const started = node.done + node.failed + node.inFlight + node.retrying + node.asked > 0;
  return { tone: isOver(node) ? "good" : "active", idle: !started };
}

function shares(node: NodeProgress): { done: number; failed: number; total: number } {
  return { done: node.done + node.skipped + node.absent, failed: node.failed, total: node.total };
}

function notes(node: NodeProgress): Span[] {
  const spans: Span[] = [];
  if (node.failed > 0) spans.push([`${count(node.failed)} failed`, "bad"]);
  if (node.retrying > 0) spans.push([`${count(node.retrying)} retrying`, "warn"]);
  if (node.asked > 0) spans.push([`${count(node.asked)} to answer`, "warn"]);
  if (node.skipped > 0) spans.push([`${count(node.skipped)} skipped`, "warn"]);
  if (node.inFlight > 0) spans.push([`${count(node.inFlight)} in flight`, "quiet"]);
  return spans;
}

/** The end of a scoped name tells more than its start. */
function fitName(name: string, layout: Layout): string {
  if (name.length <= layout.name) return name;
  const mark = layout.unicode ? "…" : "~";
  return mark + name.slice(name.length - layout.name + 1);
}

function trimEnd(spans: readonly Span[]): Span[] {
  const kept = [...spans];
  while (kept.length > 0 && kept.at(-1)![0].trim() === "") kept.pop();
  return spansLength(kept) === 0 ? [] : kept;
}
