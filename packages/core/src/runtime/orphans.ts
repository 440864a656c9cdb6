import type { Pending } from "../state/pending.ts";
import type { Body } from "./body.ts";
import type { Deadline } from "./deadlines.ts";
import { isGenerator } from "./generators.ts";
import type { Runner } from "./runner.ts";

/** How long a body that timed out, or whose run ended, keeps its permit when it does not settle; then it counts as stuck. */
export const graceMs = 5_000;

/** Bodies that timed out and have not settled. */
export class Orphans {
  readonly #runner: Runner;
  /** Null: the grace is over and the permit was given back. */
  readonly #graces: Map<Body, Deadline | null> = new Map();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  add(body: Body): void {
    const { busy, pending } = body;
    if (!isGenerator(pending)) {
      this.#runner.busy--;
      this.#keepPermit(body);
      return;
    }
    // It has no permit, and while it waits for credit nothing else either.
    if (busy) this.#runner.busy--;
    if (this.#runner.claims !== null) this.#runner.claims.orphaned(pending, body.attempt, busy);
    body.busy = false;
  }

  #keepPermit(body: Body): void {
    const { deadlines, clock, counts } = this.#runner.host;
    const grace = deadlines.add(clock.now() + graceMs, () => {
      this.#graces.set(body, null);
      counts.stuck++;
      this.#runner.claims?.release(body.pending, body.attempt);
      this.#runner.returnPermit();
      this.#runner.pump();
    });
    this.#graces.set(body, grace);
  }

  has(pending: Pending, attempt: number): boolean {
    for (const body of this.#graces.keys()) if (body.pending === pending && body.attempt === attempt) return true;
    return false;
  }

  /** The body of that attempt settled after all. True when its permit is back already. */
  settled(pending: Pending, attempt: number): boolean {
    for (const [body, grace] of this.#graces) {
      if (body.pending !== pending || body.attempt !== attempt) continue;
      this.#graces.delete(body);
      if (grace === null) return true;
      this.#runner.host.deadlines.cancel(grace);
      return false;
    }
    return false;
  }
}
