/** One number of both engines for the same work with the same result. */
import type { Settings, Span } from "../../src/harness/figure.ts";
import type { Pairs } from "../../src/harness/pairs.ts";
import { median, spanOf } from "../../src/harness/statistics.ts";

export interface Comparison {
  /** As on the command line and in the JSON, `vs-langgraph-chain`. */
  readonly name: string;
  /** One line: what both numbers are. */
  readonly title: string;
  readonly unit: "µs" | "ms" | "B";
  /** What LangGraph.js takes is at least so many times what Millrace takes. */
  readonly target: number;
  measure(settings: Settings): Promise<Compared>;
}

export interface Compared {
  /** Medians. */
  readonly millrace: number;
  readonly langgraph: number;
  /** Least and greatest quotient of a repeat of LangGraph.js by the one of Millrace beside it. */
  readonly ratios: Span;
  readonly repeats: number;
  /** What a reader should know beside the numbers. */
  readonly notes: readonly string[];
}

/** A comparison with where it was made. */
export interface Result extends Compared {
  /** Load average over the last minute when it began and when it ended. */
  readonly load: Span;
}

export function ratioOf({ millrace, langgraph }: Compared): number {
  return langgraph / millrace;
}

/** Times per unit, in nanoseconds divided by `per`. The floor of the pairs is LangGraph.js. */
export function compared({ ours, floor }: Pairs, per: number): Omit<Compared, "notes"> {
  return {
    millrace: median(ours) / per,
    langgraph: median(floor) / per,
    ratios: spanOf(floor.map((theirs, at) => theirs / ours[at]!)),
    repeats: ours.length,
  };
}
