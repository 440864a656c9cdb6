const INTERVAL_MS = 100;

/**
 * Looks about ten times a second whether another connection wrote to the file, once it is started. A look reads a few
 * bytes of shared memory.
 */
export class Watch {
  /** Changes when somebody else wrote; undefined: cannot be told now. */
  readonly #version: () => unknown;
  readonly #changed: () => void;
  #seen: unknown;
  /** Monotonic milliseconds. */
  #looked = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(version: () => unknown, changed: () => void) {
    this.#version = version;
    this.#changed = changed;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#seen = this.#version();
    // A thread that has nothing else to wait for ends.
    this.#timer = setInterval(() => this.#look(), INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** For a thread so busy that its timers wait. */
  lookIfLate(): void {
    if (this.#timer !== undefined && performance.now() - this.#looked > 2 * INTERVAL_MS) this.#look();
  }

  #look(): void {
    this.#looked = performance.now();
    const version = this.#version();
    if (version === undefined || version === this.#seen) return;
    this.#seen = version;
    this.#changed();
  }
}
