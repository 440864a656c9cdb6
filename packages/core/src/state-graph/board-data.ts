/** Supersteps as plain data. */
import type { Told } from "../model/body-around.ts";
import type { StepData } from "./steps.ts";

export interface Work {
  readonly node: string;
  /** Present when it was sent: a state of its own. */
  readonly state?: unknown;
}

/** What a task came to. */
export interface Done {
  readonly steps: readonly StepData[];
  /** It asked for the turn to stop at the end of this superstep. */
  readonly cancel?: true;
  /** What it told while it ran, for who reads of it later. */
  readonly told?: readonly Told[];
}

/** Why a turn stops although tasks are left, or none should have been missing. */
export type Stop = "" | "cancelled" | "limit" | "starved" | "updated";

export interface Board {
  /** Accumulators. */
  readonly state: unknown;
  /** The tasks of the superstep that comes next, in the order they were queued. */
  readonly works: readonly Work[];
  /** By join: which of its sources have run since it fired. */
  readonly seen: Readonly<Record<string, readonly string[]>>;
  /** Deferred nodes that are to run when nothing else is left. */
  readonly deferred: readonly string[];
  /** Number of the checkpoint that this is: -1 when the thread is new, one more with each superstep. */
  readonly step: number;
  /** Checkpoints that the thread has had by then, this one included; absent: an earlier version wrote it. */
  readonly made?: number;
  /** Supersteps that the turn may take in all, and may still take. */
  readonly limit: number;
  readonly left: number;
  readonly stop: Stop;
}

/** What branches decided for the tasks of a superstep: names and sends; one list per task. */
export type Chosen = readonly (readonly StepData[])[];
