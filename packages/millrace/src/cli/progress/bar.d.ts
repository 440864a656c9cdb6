import type { Span, Tone } from "../format/style.ts";
export interface BarParts {
  /** Shares of the whole, in invocations. */
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}
/** A bar of exactly `width` characters: what is done, then what failed, then what is left. */
export declare function bar({ done, failed, total }: BarParts, width: number, unicode: boolean, tone: Tone): Span[];
