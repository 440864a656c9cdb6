/**
 * When a run's state is written down.
 *
 * SN1  A snapshot is tried when the log since the last one is as long as `after`, and kept when it is at most `share` of that
 *      log: what snapshots cost is bounded by what was appended, whatever the state is.
 * SN2  Writing one stops at that bound; it is tried again when the log is twice as long.
 * SN5  A small state is written `early`: as soon as the log is as long as that says and as many rows, since a snapshot is a row, and so a
 *      commit, of its own. So few supersteps are replayed of a run that says little in each, and no commit in fifty is for that.
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
  /** SN5: the same for less log than `after`; absent: then none is tried. */
  readonly early?: (Omit<SnapshotPolicy, "early"> & { readonly rows: number }) | undefined;
}

/** What was written since the last snapshot. */
export interface Logged {
  /** About. */
  readonly characters: number;
  readonly rows: number;
}

/** Longer ones would hold up the process for too long. */
const longest = 16 * 1024 * 1024;

export class Snapshots {
  readonly #policy: SnapshotPolicy;
  #logged: number;
  #rows: number;
  #next: number;

  constructor(policy: SnapshotPolicy, { characters, rows }: Logged) {
    this.#policy = policy;
    this.#logged = characters;
    this.#rows = rows;
    // Not while a process that was just started is waited for, and soon enough for one that never lives long.
    this.#next = Math.max(this.#first, characters + Math.min(characters, policy.after) / 4);
  }

  get #first(): number {
    const { after, early } = this.#policy;
    return early === undefined ? after : early.after;
  }

  logged(characters: number): void {
    this.#logged += characters;
  }

  /** One more is being written. */
  row(): void {
    this.#rows++;
  }

  get due(): boolean {
    const { after, early } = this.#policy;
    return this.#logged >= this.#next && (this.#logged >= after || this.#rows >= (early?.rows ?? Infinity));
  }

  /** The text of the state; null: it is not worth it, or cannot be kept. */
  take(run: RunState): string | null {
    // SN4: it is tried again with the next commit.
    if (run.openRegions > 0) return null;
    const text = tryToSave(run, Math.min(this.#budget, longest));
    if (text === null) this.#next = this.#logged * 2;
    else {
      this.#logged = 0;
      this.#rows = 0;
      this.#next = this.#first;
    }
    return text;
  }

  /** SN1, SN5 */
  get #budget(): number {
    const { after, share, early } = this.#policy;
    const small = early === undefined ? 0 : Math.min(this.#logged, after) * early.share;
    return Math.max(this.#logged * share, small);
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
