/** Randomness as the runtime sees it: jitter and ids. Never read inside a step. */
export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
  /** A new run id, unique across processes and sortable by time. */
  runId(now: number): string;
}
