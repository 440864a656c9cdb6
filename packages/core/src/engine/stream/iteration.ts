import type { RunStream } from "./events.ts";

/** What an iteration is fed from. Nothing is pushed at a reader: it asks, and what waits is bounded by the source. */
export interface Source<T> {
  /** The next value, or why there is none. Throws when the reading failed. */
  poll(): Polled<T> | Promise<Polled<T>>;
  /** Nobody reads any more. `left`: before the end, because the reader wanted so. */
  close(left: boolean): void;
}

export type Polled<T> = { readonly value: T } | "wait" | "done";

const done: IteratorReturnResult<undefined> = { value: undefined, done: true };

/** One reader of a source. `wake` says that there may be more. */
export class Iteration<T> implements RunStream<T> {
  readonly #source: Source<T>;
  #over = false;
  #rung = false;
  #ring: (() => void) | null = null;
  /** Calls of `next` are served one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** Why it was broken off; null: it was not, or that was told. */
  #aborted: { readonly reason: unknown } | null = null;
  readonly #unlisten: () => void;

  constructor(open: (wake: () => void) => Source<T>, signal?: AbortSignal) {
    this.#source = open(() => this.#wake());
    const abort = (): void => this.#abort(signal?.reason);
    this.#unlisten = () => signal?.removeEventListener("abort", abort);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort);
  }

  #abort(reason: unknown): void {
    if (this.#over) return;
    this.#aborted = { reason };
    this.#close(true);
    this.#wake();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const result = this.#last.then(() => this.#next());
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #next(): Promise<IteratorResult<T, undefined>> {
    while (!this.#over) {
      const polled = await this.#poll();
      if (polled === "wait") await this.#rings();
      else if (polled !== "done") return { value: polled.value, done: false };
      else this.#close(false);
    }
    return this.#ended();
  }

  /** That it was broken off is told once. */
  #ended(): IteratorResult<T, undefined> {
    const aborted = this.#aborted;
    this.#aborted = null;
    if (aborted !== null) throw aborted.reason;
    return done;
  }

  async #poll(): Promise<Polled<T>> {
    try {
      return await this.#source.poll();
    } catch (error) {
      this.#close(false);
      throw error;
    }
  }

  return(): Promise<IteratorResult<T, undefined>> {
    this.#close(true);
    this.#wake();
    return Promise.resolve(done);
  }

  #close(left: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#unlisten();
    this.#source.close(left);
  }

  #wake(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** At once when it rang since the last time. */
  async #rings(): Promise<void> {
    if (!this.#rung) await new Promise<void>((resolve) => (this.#ring = resolve));
    this.#rung = false;
    this.#ring = null;
  }

  toReadable(): ReadableStream<T> {
    return new ReadableStream<T>(
      {
        pull: async (controller) => {
          const { value, done: ended } = await this.next();
          if (ended === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await this.return();
        },
      },
      { highWaterMark: 0 },
    );
  }
}
