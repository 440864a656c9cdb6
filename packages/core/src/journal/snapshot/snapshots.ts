/**
 * When a run's state is written down.
 *
 * SN1  A snapshot is tried when the log since the last one is as long as `after`, and kept when it is at most `share` of that
 *      log: what snapshots cost is bounded by what was appended, whatever the state is.
 * SN2  Writing one stops at that bound; it is tried again when the log is twice as long.
 * SN4  None is taken while items of an ephemeral generator are open: they are in no journal, and a state without them is
 *      none that the run ever was in.
 * SN3  A state that the codec cannot keep has no snapshot, and the run goes on without.
 */
import type { RunState } from "../../state/run-state.ts";
import { saveState } from "./state-writer.ts";

export interface SnapshotPolicy {
  /** Characters of log from which on a snapshot is tried. */
  readonly after: number;
  /** The largest share of that log that it may be. */
  readonly share: number;
}

/** Longer ones would hold up the process for too long. */
const longest = 16 * 1024 * 1024;

export class Snapshots {
  readonly #policy: SnapshotPolicy;
  #logged: number;
  #next: number;

  /** `logged`: characters of log since the last snapshot. */
  constructor(policy: SnapshotPolicy, logged: number) {
    this.#policy = policy;
    this.#logged = logged;
    // Not while a process that was just started is waited for, and soon enough for one that never lives long.
    this.#next = logged === 0 ? policy.after : Math.max(policy.after, logged + policy.after / 4);
  }

  logged(characters: number): void {
    this.#logged += characters;
  }

  get due(): boolean {
    return this.#logged >= this.#next;
  }

  /** The text of the state; null: it is not worth it, or cannot be kept. */
  take(run: RunState): string | null {
    // SN4: it is tried again with the next commit.
    if (run.openRegions > 0) return null;
    const text = tryToSave(run, Math.min(this.#logged * this.#policy.share, longest));
    if (text === null) this.#next = this.#logged * 2;
    else {
      this.#logged = 0;
      this.#next = this.#policy.after;
    }
    return text;
  }
}

/** Whatever keeps a state from being written, be it a proxy of somebody that throws: the run goes on without a snapshot. */
function tryToSave(run: RunState, characters: number): string | null {
  try {
    return saveState(run, characters);
  } catch {
    return null;
  }
}
