/** What a caller marks a run with, so that it is found again: the engine carries it along and never acts on it. */

/** By name: `{ user: "ann", session: "s-1" }`. */
export type Labels = Readonly<Record<string, string>>;

export const noLabels: Labels = Object.freeze({});

export interface RunTags {
  /** The caller's own id of what the run is part of; null: none was given. */
  readonly traceId: string | null;
  /** Frozen; null: none were given. */
  readonly labels: Labels | null;
}
