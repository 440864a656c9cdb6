/** What the body of a workflow calls the outside by. */
import type { Duration } from "../base/duration.ts";
import type { Runnable } from "../model/op.ts";
import type { Output } from "../model/ref.ts";
import type { InferOutput, StandardSchemaV1 } from "../model/standard-schema.ts";

/** A question that a workflow may ask. */
export interface WorkflowQuestion {
  /** What an answer must match: callers of `answer` give its input type, `w.interrupt` gives its output type. */
  readonly answer: StandardSchemaV1;
  /** How long the answer is waited for. Default: for ever. */
  readonly timeout?: Duration;
  /** The answer when none came in time. Without it the call rejects then, as `InterruptTimeout`. */
  readonly default?: unknown;
  /** For people: what inboxes show. */
  readonly title?: string;
}

export type WorkflowQuestions = Readonly<Record<string, WorkflowQuestion>>;

/** What a workflow may call: ops, graphs, state graphs and other workflows. */
export type Callee = Runnable<never, unknown>;

export type InputOf<C> = C extends Runnable<infer I, unknown> ? I : never;
export type OutputOf<C> = C extends Runnable<never, infer O> ? Output<O> : never;

/** How a call may be given up. */
export interface CallOptions {
  /**
   * When the body aborts it, the call rejects with an `AbortError`, and what is under way of it is ended: bodies are aborted, timers and
   * questions taken back. It is the body's own, from `new AbortController()`: that it aborts is recorded, and the same when the body runs again.
   */
  readonly signal?: AbortSignal;
}

export interface RunCallOptions extends CallOptions {
  /** A name for this call, for readers of the journal. */
  readonly name?: string;
}

type Thunks = readonly (() => Promise<unknown>)[];
type Results<T extends Thunks> = { -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> };

/**
 * The first argument of a workflow's body. Everything that the body learns of the world comes through it, so that the body
 * comes to the same when it runs again: between its calls it awaits nothing else.
 *
 * `C`: what the workflow declares as `uses`, `Q`: as `asks`, `E`: as `emits`.
 */
export interface WorkflowCtx<C extends Callee, Q extends WorkflowQuestions, E extends string> {
  readonly runId: string;
  /**
   * Runs something that the workflow uses, once, whatever crashes: what it came to is recorded. Streams are lists in the
   * result.
   *
   * @throws CallError what failed there, after its last attempt. A workflow that catches it goes on.
   */
  run<K extends C>(callee: K, input: InputOf<K>, options?: RunCallOptions): Promise<OutputOf<K>>;
  /**
   * Runs what is given at once, `concurrency` of them at a time, and gives the results in their order. When one fails no other
   * begins; those under way come to their end, and then the first failure is thrown.
   */
  all<const T extends Thunks>(calls: T, options?: { readonly concurrency?: number }): Promise<Results<T>>;
  /** A timer that crashes do not begin anew. */
  sleep(duration: Duration, options?: CallOptions): Promise<void>;
  /** Asks the outside a question that the workflow declares, and waits for the answer, for days if need be. */
  interrupt<K extends keyof Q & string>(
    question: K,
    payload?: unknown,
    options?: CallOptions,
  ): Promise<InferOutput<Q[K]["answer"]>>;
  /** Sends a value out to whoever follows the run, as a `custom` event; not again when the body runs again. */
  emit(name: E, value: unknown): void;
  /** Milliseconds since 1970, UTC: the same when the body runs again. Stands still between two calls that come back. */
  now(): number;
  /** At least 0 and less than 1: the same when the body runs again. */
  random(): number;
  /** The same when the body runs again. */
  uuid(): string;
}
