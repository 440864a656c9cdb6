/**
 * What the main thread and the lease thread share. Both read the monotonic clock of the system, which is one for all
 * threads of a process.
 */
export class Beat {
  readonly shared: SharedArrayBuffer;
  readonly #renewedAt: BigInt64Array;
  readonly #turns: Int32Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.shared = shared;
    this.#renewedAt = new BigInt64Array(shared, 0, 1);
    this.#turns = new Int32Array(shared, 8, 1);
  }

  /** Milliseconds before the last renewal that succeeded was sent; 0: there is no lease. */
  get renewedAt(): number {
    return Number(Atomics.load(this.#renewedAt, 0)) / 1_000;
  }

  set renewedAt(milliseconds: number) {
    Atomics.store(this.#renewedAt, 0, BigInt(Math.round(milliseconds * 1_000)));
  }

  /** How often the main loop came round; 0: it has not begun to tell. */
  get turns(): number {
    return Atomics.load(this.#turns, 0);
  }

  turn(): void {
    // Never 0 again, also after four milliard turns.
    if (Atomics.add(this.#turns, 0, 1) === -1) Atomics.store(this.#turns, 0, 1);
  }
}

/** Monotonic milliseconds, the same in every thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
