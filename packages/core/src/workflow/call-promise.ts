/** The promise of a call, which knows whether anybody looked at it. */
export class CallPromise<T> extends Promise<T> {
  /** What `then` makes is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Null: somebody did. */
  #unawaited: (() => void) | null = null;

  /** @param awaited called when somebody awaits it for the first time. */
  static of<T>(
    awaited: () => void,
    executor: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): CallPromise<T> {
    const promise = new CallPromise<T>(executor);
    // That nobody awaits it is told when the body is over, and not by the end of the process.
    void super.prototype.then.call(promise, undefined, () => undefined);
    promise.#unawaited = awaited;
    return promise;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise has it: this is where awaiting shows
  override then<R = T, E = never>(
    fulfilled?: ((value: T) => R | PromiseLike<R>) | null,
    rejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.#unawaited?.();
    this.#unawaited = null;
    return super.then(fulfilled, rejected);
  }
}
