import type { Interrupt } from "../events/interrupt.ts";
import type { ErrorEntry } from "../events/record.ts";
import type { RunState } from "../state/run-state.ts";
import type { Runner } from "./runner.ts";
import type { Waits } from "./waits.ts";
import { interruptsOf } from "./questions.ts";

export interface Outcome {
  readonly status: "completed" | "failed" | "cancelled" | "drained" | "interrupted";
  readonly output: unknown;
  readonly errors: readonly ErrorEntry[];
  readonly reason: string;
  /** Interrupted: when its first timer is due, in milliseconds since 1970; null: it waits for answers only. */
  readonly wake?: number | null;
  /** Interrupted: the open questions. */
  readonly interrupts?: readonly Interrupt[];
}

/** See `EngineOptions.durability`. */
export type Durability = "sync" | "async" | "exit";

export interface RunnerOptions {
  readonly durability: Durability;
  /** Leaf ops of one run active at once. */
  readonly cap: number;
}

/** Told when the run ends, drains, or waits for answers only, or with the error that lost it. */
export interface RunOwner {
  settle(outcome: Outcome | Error): void;
  /** It goes on, after it was told that the run waits for answers. */
  wokeUp(): void;
}

export function drainedOutcome(state: RunState): Outcome {
  return { status: "drained", output: undefined, errors: state.failures?.list() ?? [], reason: "" };
}

export function parkedOutcome(state: RunState, waits: Waits): Outcome & { readonly wake: number | null } {
  return {
    status: "interrupted",
    output: undefined,
    errors: state.failures?.list() ?? [],
    reason: "",
    wake: waits.next === Infinity ? null : waits.next,
    interrupts: interruptsOf(state),
  };
}

/** Nothing goes on but questions, far timers, and so many bodies that wait for them. */
export function waitsOnly({ state, host, talks }: Runner, waits: Waits): boolean {
  if (state.end !== null || state.ending !== null || !state.effects.empty) return false;
  return state.inFlight === waits.size + talks.listening.size && waits.mayRest(host.clock.now());
}
