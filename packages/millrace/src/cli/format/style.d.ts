/** Colour as intent: callers name a tone, the terminal decides what it looks like, or that it looks like nothing. */
export type Tone = "plain" | "strong" | "quiet" | "good" | "bad" | "warn" | "active";
/** A piece of a line: text that is measured before it is coloured. */
export type Span = readonly [text: string, tone?: Tone | undefined];
export type Paint = (text: string, tone: Tone) => string;
export declare const unpainted: Paint;
export declare const painted: Paint;
type Environment = Readonly<Record<string, string | undefined>>;
/** NO_COLOR (https://no-color.org) wins over FORCE_COLOR; without either, colour goes to terminals only. */
export declare function paintFor(
  stream: {
    readonly isTTY?: boolean | undefined;
  },
  env: Environment,
): Paint;
/** Whether line-drawing characters will be shown as such. */
export declare function unicodeFor(env: Environment, platform: string): boolean;
export declare function spansLength(spans: readonly Span[]): number;
/** Cuts a line to `width` characters, ending in `…` when something was lost. */
export declare function fitSpans(spans: readonly Span[], width: number, ellipsis?: string): Span[];
export declare function paintSpans(spans: readonly Span[], paint: Paint): string;
export {};
