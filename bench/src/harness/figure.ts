/** One figure of the suite: what it measures, against what, and how much of it is allowed. */

export interface Figure {
  /** As on the command line and in the JSON, `sync-op`. */
  readonly name: string;
  /** One line: what `value` is. */
  readonly title: string;
  readonly unit: "ns" | "ms" | "B" | "/s";
  readonly limits: readonly Limit[];
  /** What the floor is, exactly. */
  readonly floor: string;
  /** What neither side measures. */
  readonly blind: string;
  /** Writes to the disk: its fsync latency is printed beside the figure. */
  readonly durable?: true;
  measure(settings: Settings): Promise<Measurement>;
}

/** A bound on the value, or on the value divided by the floor. */
export interface Limit {
  readonly of: "value" | "ratio";
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Settings {
  /** Few repeats: shows that everything runs, not how fast. */
  readonly quick: boolean;
  /** Holds the databases; everything in it is removed at the end. */
  readonly folder: string;
}

export interface Measurement {
  readonly value: number;
  readonly floor: number;
  /** Least and greatest value of the repeats, in the figure's unit. */
  readonly values: Span;
  /** Least and greatest ratio of a repeat of ours to the floor's beside it. */
  readonly ratios: Span;
  readonly repeats: number;
  /** What a reader should know beside the number. */
  readonly notes: readonly string[];
}

export interface Span {
  readonly least: number;
  readonly greatest: number;
}

/** A measurement with where it was made. */
export interface Result extends Measurement {
  readonly name: string;
  /** Load average over the last minute when it ended. */
  readonly load: number;
}

export function ratioOf({ value, floor }: Pick<Measurement, "value" | "floor">): number {
  return value / floor;
}

/** The limits that a measurement breaks. */
export function brokenLimits(figure: Figure, measured: Pick<Measurement, "value" | "floor">): Limit[] {
  return figure.limits.filter((limit) => {
    const number = limit.of === "value" ? measured.value : ratioOf(measured);
    return number > (limit.atMost ?? Infinity) || number < (limit.atLeast ?? -Infinity);
  });
}
