/**
 * Bars that are redrawn in place. A frame is one write; at most ten a second, and none when nothing changed but the
 * clock, which ticks once a second. Whatever else is written to the same stream lands above the bars.
 */
import type { WriteStream } from "node:tty";
import { type Paint, paintSpans, spansLength } from "../format/style.ts";
import { type FrameSize, renderFrame } from "./frame.ts";
import type { ProgressModel } from "./model.ts";
import type { Phase, ProgressView } from "./view.ts";

export interface TtyOptions {
  readonly paint: Paint;
  readonly unicode: boolean;
  /** Milliseconds between two looks at the model. */
  readonly everyMs?: number;
}

type Terminal = Pick<WriteStream, "write" | "columns" | "rows">;

const hideCursor = "\u001B[?25l";
const showCursor = "\u001B[?25h";
const eraseLine = "\u001B[K";
const eraseBelow = "\u001B[J";

export function startTtyView(model: ProgressModel, terminal: Terminal, options: TtyOptions): ProgressView {
  const write = terminal.write.bind(terminal);
  const screen = createScreen(write, () => sizeOf(terminal));
  let phase: Phase = { text: "running", tone: "active" };
  let drawn = "";

  const draw = (force: boolean): void => {
    const run = model.snapshot();
    const state = `${model.version} ${Math.floor(run.elapsedMs / 1_000)} ${phase.text} ${terminal.columns} ${terminal.rows}`;
    if (!force && state === drawn) return;
    drawn = state;
    const spans = renderFrame(run, { ...sizeOf(terminal), unicode: options.unicode, phase });
    screen.show(spans.map((line) => ({ text: paintSpans(line, options.paint), length: spansLength(line) })));
  };

  const release = takeOver(terminal, (chunk) => screen.above(chunk));
  const timer = setInterval(() => draw(false), options.everyMs ?? 100);
  const restore = (): void => void write(showCursor);
  process.once("exit", restore);
  write(hideCursor);

  return {
    begun: () => draw(true),
    phase(next) {
      phase = next;
      draw(true);
    },
    stop(last) {
      if (drawn === "stopped") return;
      clearInterval(timer);
      phase = last ?? phase;
      draw(true);
      drawn = "stopped";
      release();
      process.off("exit", restore);
      restore();
    },
  };
}

interface Line {
  readonly text: string;
  readonly length: number;
}

/** The frame on the terminal, and what has to be undone to replace it. */
function createScreen(
  write: (text: string) => unknown,
  size: () => FrameSize,
): { show(lines: readonly Line[]): void; above(text: string): void } {
  let current: readonly Line[] = [];
  // A terminal that became narrower wrapped the lines that are there.
  const home = (): string => {
    const columns = size().columns;
    const rows = current.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
    return rows === 0 ? "\r" : `\u001B[${rows}A\r`;
  };
  const body = (lines: readonly Line[]): string =>
    lines.map((line) => `${line.text}${eraseLine}\n`).join("") + eraseBelow;
  return {
    show(lines) {
      write(home() + body(lines));
      current = lines;
    },
    above(text) {
      const whole = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      write(home() + eraseBelow + whole + body(current));
    },
  };
}

/** Writes of others go through `above` until released. */
function takeOver(terminal: Terminal, above: (text: string) => void): () => void {
  const original = terminal.write;
  const patched = (chunk: Uint8Array | string, encoding?: unknown, callback?: unknown): boolean => {
    above(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  terminal.write = patched;
  return () => {
    terminal.write = original;
  };
}

function sizeOf(terminal: Terminal): FrameSize {
  return { columns: terminal.columns || 80, rows: terminal.rows || 24 };
}
