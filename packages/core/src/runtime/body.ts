import { asPromise } from "../base/thenable.ts";
import type { Told } from "../model/body-around.ts";
import type { ResumePoint } from "../model/op.ts";
import { isCurrent, type Pending } from "../state/pending.ts";
import type { Deadline } from "./deadlines.ts";
import type { Runner } from "./runner.ts";

/**
 * What the runtime keeps of a body in flight: an abort controller, timers, an iterator. A body that needs none of them
 * has none: most invocations are a `Pending` and a promise.
 */
export class Body {
  readonly runner: Runner;
  readonly pending: Pending;
  /** The attempt it belongs to; 1 for the first try. */
  readonly attempt: number;
  controller: AbortController | null = null;
  #reason: Error | null = null;
  runDeadline: Deadline | null = null;
  idleDeadline: Deadline | null = null;
  /** When it counts as slow. */
  slow: Deadline | null = null;
  /** Milliseconds of its run timeout that are left while it waits for credit. */
  left: number | null = null;
  /** Timed out: its result no longer matters, and it holds its permit until it settles or the grace is over. */
  timedOut = false;
  iterator: AsyncIterator<unknown> | Iterator<unknown> | null = null;
  /** Of a body that runs elsewhere. */
  execution: { abandon(): void } | null = null;
  /** The recorded items that are still to be compared and suppressed after a resume, and how many there are. */
  expected: AsyncIterator<unknown> | null = null;
  recorded = 0;
  /** Where a generator that is not to begin anew goes on. */
  resumeFrom: ResumePoint | null = null;
  produced = 0;
  /** Of the body of a workflow. */
  dialog: { close(): void } | null = null;
  /** What `currentRun` gives inside of its generator, if bodies are followed. */
  context: object | null = null;
  /** The events it has told, for those who come while it runs. */
  told: Told[] | null = null;
  /** A generator's `next` is outstanding. */
  busy = false;

  constructor(runner: Runner, pending: Pending, attempt: number) {
    this.runner = runner;
    this.pending = pending;
    this.attempt = attempt;
  }

  /** Made only when the body asks for it. */
  signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.timedOut || !isWanted(this.runner, this.pending, this.attempt))
        this.controller.abort(this.#reason ?? this.runner.abortedFor ?? notWanted());
    }
    return this.controller.signal;
  }

  /** Runs a part of the generator where `currentRun` finds its context. */
  inside<T>(act: () => T): T {
    const { around } = this.runner.host;
    return around === null ? act() : around.run(this.context, act);
  }

  disarm(): void {
    const { deadlines } = this.runner.host;
    if (this.runDeadline !== null) deadlines.cancel(this.runDeadline);
    if (this.idleDeadline !== null) deadlines.cancel(this.idleDeadline);
    if (this.slow !== null) deadlines.cancel(this.slow);
    this.runDeadline = null;
    this.idleDeadline = null;
    this.slow = null;
  }

  /** Nothing it does matters any more. */
  abort(reason: Error): void {
    this.disarm();
    this.#reason = reason;
    this.controller?.abort(reason);
    this.execution?.abandon();
    this.dialog?.close();
    this.#closeIterator();
  }

  /** Lets a generator's `finally` run; what it throws there can change nothing any more. */
  #closeIterator(): void {
    const { iterator } = this;
    if (iterator === null) return;
    this.iterator = null;
    try {
      asPromise(this.inside(() => iterator.return?.()))?.catch(() => undefined);
    } catch {
      // A synchronous finalizer threw; the outcome is already decided.
    }
  }
}

/** What a body is told that was swept, or asks for its signal when its attempt is over. */
export function notWanted(): Error {
  return Object.assign(new Error("the result is no longer wanted"), { name: "AbortError" });
}

/** Does the run still wait for this attempt? */
export function isWanted(runner: Runner, pending: Pending, attempt: number): boolean {
  return pending.attempt === attempt && isCurrent(pending) && runner.state.end === null;
}

/** The body record of an attempt in flight; made when first needed. */
export function bodyOf(runner: Runner, pending: Pending, attempt: number): Body {
  const known = pending.body as Body | null;
  if (known !== null && known.attempt === attempt) return known;
  const body = new Body(runner, pending, attempt);
  if (isWanted(runner, pending, attempt)) pending.body = body;
  return body;
}

/** The attempt is over: its timers go, and the next one starts afresh. */
export function closeBody(pending: Pending): void {
  if (pending.body === null) return;
  (pending.body as Body).disarm();
  pending.body = null;
}
