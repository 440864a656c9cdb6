/**
 * What the bodies of one run hold of limited resources. Null in a runner none of whose ops has any.
 *
 * C1  A body that waits for a resource waits outside of everything else: it holds no permit, and none of its time limits
 *     counts. Resources come before permits, so that a permit never waits for a resource.
 * C2  A generator holds its resources while it works on an item, and none while it waits for credit: else it would wait
 *     for consumers that wait for it.
 * C3  A body that is not wanted any more holds them until it settles, at most for the grace; one that had not begun, not
 *     at all.
 */
import { Todo, type Pending } from "../state/pending.ts";
import { isWanted, type Body } from "./body.ts";
import type { Deadline } from "./deadlines.ts";
import { isGenerator } from "./generators.ts";
import { mustWaitForLease } from "./lease.ts";
import { graceMs } from "./orphans.ts";
import type { Runner } from "./runner.ts";
import { Claim, type Gate } from "./turnstile.ts";

interface Held {
  readonly pending: Pending;
  readonly attempt: number;
  readonly claim: Claim;
  grace: Deadline | null;
}

export class Claims {
  readonly #runner: Runner;
  /** By invocation; more than one when an attempt that timed out has not let go. */
  readonly #held: Map<Pending, Held[]> = new Map();

  readonly #dropped: Held[] = [];

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  get none(): boolean {
    return this.#held.size === 0;
  }

  #find(pending: Pending, attempt: number): Held | undefined {
    return this.#held.get(pending)?.find((held) => held.attempt === attempt);
  }

  /** C1. True: the invocation may go on now; else it does when it is its turn. */
  obtain(pending: Pending, gates: readonly Gate[]): boolean {
    const { attempt } = pending;
    if (this.#find(pending, attempt) !== undefined) return true;
    const goesOn = isGenerator(pending) && pending.body !== null;
    const claim = new Claim(gates, !goesOn, () => this.#granted(held));
    const held: Held = { pending, attempt, claim, grace: null };
    this.#held.set(pending, [...(this.#held.get(pending) ?? []), held]);
    if (this.#runner.host.turnstile.request(claim)) return true;
    // For a drain: whoever resumes starts it again from here.
    pending.todo = goesOn ? Todo.pull : Todo.start;
    return false;
  }

  #granted(held: Held): void {
    const { pending, attempt, claim } = held;
    const runner = this.#runner;
    // Somebody who was granted in the same moment ended or drained this run.
    if (claim.state === "over") return;
    if (!runner.startsNew || !isWanted(runner, pending, attempt)) {
      this.#release(held);
      return;
    }
    if (mustWaitForLease(runner, pending)) return;
    pending.todo = Todo.none;
    runner.proceed(pending);
    runner.pump();
  }

  /** Its body starts, or goes on. */
  begin(pending: Pending): void {
    const held = this.#find(pending, pending.attempt);
    if (held !== undefined) this.#runner.host.turnstile.begin(held.claim);
  }

  /** The body of that attempt does not use its resources any more. */
  release(pending: Pending, attempt: number): void {
    const held = this.#find(pending, attempt);
    if (held === undefined) return;
    this.#release(held);
    this.#runner.grace?.endIfUnneeded();
  }

  /** Swept while it waited, or rested: released when the step that did so is over, for others start by that. */
  drop(pending: Pending, attempt: number): void {
    const held = this.#find(pending, attempt);
    if (held !== undefined) this.#dropped.push(held);
  }

  releaseDropped(): void {
    for (let held = this.#dropped.pop(); held !== undefined; held = this.#dropped.pop()) this.#release(held);
  }

  #release(held: Held): void {
    const { pending, claim } = held;
    const left = (this.#held.get(pending) ?? []).filter((other) => other !== held);
    if (left.length === 0) this.#held.delete(pending);
    else this.#held.set(pending, left);
    const { deadlines, turnstile } = this.#runner.host;
    if (held.grace !== null) deadlines.cancel(held.grace);
    turnstile.release(claim);
  }

  /** C3, for a generator that timed out or was swept. */
  orphaned(pending: Pending, attempt: number, busy: boolean): void {
    const held = this.#find(pending, attempt);
    if (held === undefined) return;
    if (!busy) {
      this.#dropped.push(held);
      return;
    }
    const { deadlines, clock, counts } = this.#runner.host;
    held.grace = deadlines.add(clock.now() + graceMs, () => {
      held.grace = null;
      counts.stuck++;
      this.#release(held);
    });
  }

  /** C3: the run ended or rests; what is not at work lets go. */
  releaseIdle(): void {
    for (const held of this.#all()) if (!isAtWork(held)) this.#release(held);
  }

  releaseAll(): void {
    for (const held of this.#all()) this.#release(held);
  }

  #all(): Held[] {
    return [...this.#held.values()].flat();
  }
}

function isAtWork({ pending, claim, attempt }: Held): boolean {
  if (claim.state !== "begun") return false;
  if (!isGenerator(pending)) return true;
  const body = pending.body as Body | null;
  // A generator that timed out has no body any more, and lets go by itself.
  return body === null || body.attempt !== attempt || body.busy;
}
