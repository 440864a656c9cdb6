/** Colour as intent: callers name a tone, the terminal decides what it looks like, or that it looks like nothing. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "warn" | "active";

/** A piece of a line: text that is measured before it is coloured. */
export type Span = readonly [text: string, tone?: Tone | undefined];

export type Paint = (text: string, tone: Tone) => string;

const sgr: Readonly<Record<Tone, readonly [open: number, close: number] | null>> = {
  plain: null,
  strong: [1, 22],
  quiet: [2, 22],
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  active: [36, 39],
};

export const unpainted: Paint = (text) => text;

export const painted: Paint = (text, tone) => {
  const code = sgr[tone];
  return code === null || text === "" ? text : `\u001B[${code[0]}m${text}\u001B[${code[1]}m`;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** NO_COLOR (https://no-color.org) wins over FORCE_COLOR; without either, colour goes to terminals only. */
export function paintFor(stream: { readonly isTTY?: boolean | undefined }, env: Environment): Paint {
  if ((env["NO_COLOR"] ?? "") !== "") return unpainted;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced === "0" || forced === "false" ? unpainted : painted;
  return stream.isTTY === true && env["TERM"] !== "dumb" ? painted : unpainted;
}

/** Whether line-drawing characters will be shown as such. */
export function unicodeFor(env: Environment, platform: string): boolean {
  if (platform === "win32") {
    return env["WT_SESSION"] !== undefined || env["TERM_PROGRAM"] === "vscode" || env["ConEmuTask"] !== undefined;
  }
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return env["TERM"] !== "linux" && (locale === "" || /utf-?8/i.test(locale));
}

export function spansLength(spans: readonly Span[]): number {
  return spans.reduce((sum, [text]) => sum + text.length, 0);
}

/** Cuts a line to `width` characters, ending in `…` when something was lost. */
export function fitSpans(spans: readonly Span[], width: number, ellipsis = "…"): Span[] {
  if (spansLength(spans) <= width) return [...spans];
  const kept: Span[] = [];
  let room = Math.max(0, width - ellipsis.length);
  for (const [text, tone] of spans) {
    if (room <= 0) break;
    kept.push([text.slice(0, room), tone]);
    room -= text.length;
  }
  return width < ellipsis.length ? kept : [...kept, [ellipsis, "quiet"]];
}

export function paintSpans(spans: readonly Span[], paint: Paint): string {
  return spans.map(([text, tone]) => paint(text, tone ?? "plain")).join("");
}
