import type { Pending } from "../state/pending.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import type { Held } from "./held.ts";
import type { Recorder } from "./recorder.ts";
import type { Runner } from "./runner.ts";

/** Whether this engine may start anything of a run now, and who waits for its records. Null in a run without a journal, which nobody can take over. */
export class Lease {
  readonly #recorder: Recorder;
  readonly #held: Held;
  readonly #told: Acknowledgements = new Acknowledgements();
  #lost: Error | null = null;

  constructor(recorder: Recorder, held: Held) {
    this.#recorder = recorder;
    this.#held = held;
  }

  get valid(): boolean {
    return this.#recorder.alive;
  }

  /** Until it is renewed, and what is held is let go. */
  hold(pending: Pending): void {
    this.#held.keep(pending);
  }

  /** Resolves when it may have been renewed; rejects when the run is lost. */
  renewed(): Promise<void> {
    return this.#lost === null ? this.#told.until(0) : Promise.reject(this.#lost);
  }

  /** Resolves when everything up to there is durable. */
  durable(seq: number): Promise<void> {
    if (this.#recorder.durable >= seq) return Promise.resolve();
    if (this.#lost !== null) return Promise.reject(this.#lost);
    this.#recorder.wanted();
    return this.#told.until(seq);
  }

  /** Something became durable, or the lease was renewed. */
  told(): void {
    this.#told.durable(this.#recorder.durable);
  }

  lost(error: Error): void {
    this.#lost = error;
    this.#told.lost(error);
  }
}

export function isLeased({ lease }: Runner): boolean {
  return lease === null || lease.valid;
}

/**
 * What was let go and had to wait for something else, a resource, its next attempt, a kept output, may come to its turn when
 * the lease on its run has lapsed. True: then it waits for that to be renewed, among what is held.
 */
export function mustWaitForLease({ lease }: Runner, pending: Pending): boolean {
  if (lease === null || lease.valid) return false;
  lease.hold(pending);
  return true;
}

/** The same within a body that has not called what its author wrote yet. Rejects when the run is lost. */
export function whileLeased<T>(runner: Runner, act: () => T): T | Promise<Awaited<T>> {
  const { lease } = runner;
  return lease === null || lease.valid ? act() : afterRenewal(lease, act);
}

/** Null: it is valid. Rejects when the run is lost. */
export function untilLeased({ lease }: Runner): Promise<void> | null {
  return lease === null || lease.valid ? null : afterRenewal(lease, () => undefined);
}

async function afterRenewal<T>(lease: Lease, act: () => T): Promise<Awaited<T>> {
  while (!lease.valid) await lease.renewed();
  return await act();
}
