/** Callers that are told when what they asked for is durable. */
export class Acknowledgements {
  #waiting: { readonly seq: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  /** Resolves once records up to `seq` are durable. */
  until(seq: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ seq, resolve, reject }));
  }

  durable(seq: number): void {
    const told = this.#waiting.filter((waiter) => waiter.seq <= seq);
    if (told.length === 0) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter.seq > seq);
    for (const waiter of told) waiter.resolve();
  }

  lost(error: Error): void {
    for (const waiter of this.#waiting) waiter.reject(error);
    this.#waiting = [];
  }
}
