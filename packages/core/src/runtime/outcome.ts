import type { ErrorEntry } from "../events/record.ts";

/** How a run ended, or rests. */
export interface Outcome {
  readonly status: "completed" | "failed" | "cancelled" | "drained";
  readonly output: unknown;
  readonly errors: readonly ErrorEntry[];
  readonly reason: string;
}

/** Told once when the run ends or drains, or with the error that lost it. */
export interface RunOwner {
  settle(outcome: Outcome | Error): void;
}
