import type { Append, RunStatus } from "../ports/backend.ts";
import type { Note } from "../ports/inbox.ts";
import type { NewCarriedRow } from "../ports/thread.ts";

type Changes = Pick<Append, "status" | "fingerprint" | "release" | "wakeAt" | "handled" | "carry">;

/** What is written of a run besides its log, with the next rows of that (J7). */
export class RowChanges {
  status: RunStatus | undefined;
  wakeAt: number | null = null;
  carry: NewCarriedRow | undefined;
  #fingerprint: string | undefined;
  /** A record that says so waits. */
  #isTakenUp = false;
  #handled: Pick<Note, "kind" | "key">[] | undefined;

  /** It goes on, with another graph or the same one. */
  takenUp(fingerprint: string | undefined): void {
    this.#isTakenUp = true;
    this.status = "running";
    this.#fingerprint = fingerprint;
  }

  handled(kind: Note["kind"], key: string): void {
    (this.#handled ??= []).push({ kind, key });
  }

  /** With these records it comes to its end, or to rest. */
  get rests(): boolean {
    return this.status !== undefined && this.status !== "running";
  }

  /** With the last of the log. */
  whole(): Changes {
    const { status, wakeAt, carry, rests: release } = this;
    const changes = { status, fingerprint: this.#fingerprint, release, wakeAt, handled: this.#handled, carry };
    this.status = undefined;
    this.wakeAt = null;
    this.carry = undefined;
    this.#handled = undefined;
    this.#begun();
    return changes;
  }

  /** With a first part of it: that the run was taken up, and how it goes on. */
  part(): Changes {
    const changes = { status: this.#isTakenUp ? ("running" as const) : undefined, fingerprint: this.#fingerprint };
    this.#begun();
    return changes;
  }

  #begun(): void {
    this.#isTakenUp = false;
    this.#fingerprint = undefined;
  }
}
