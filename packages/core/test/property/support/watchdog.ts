/**
 * A case that never ends would hang its process, and a body that spins keeps even the time limit of its test from coming. A
 * thread of its own looks whether cases go on: of one that does not it says the seed, and ends the process.
 */
import { Worker } from "node:worker_threads";

/** For a case of some milliseconds. */
const usualPatience = 60_000;

/** What the thread is given. */
export interface Watched {
  /** The seed of the case that is played, and how many were begun; 0: none is played now. */
  readonly playing: Float64Array;
  /** Said before the seed, and the command behind it. */
  readonly what: string;
  readonly command: string;
  readonly patience: number;
}

export class Watchdog implements AsyncDisposable {
  readonly #playing: Float64Array = new Float64Array(new SharedArrayBuffer(16));
  readonly #thread: Worker;
  #begun = 0;

  /**
   * @param what is played, in words
   * @param files of the cases, as Vitest finds them
   * @param patience milliseconds for one case
   */
  constructor(what: string, files: string, patience: number = usualPatience) {
    const command = `npx vitest run --project core ${files}`;
    const workerData: Watched = { playing: this.#playing, what, command, patience };
    this.#thread = new Worker(new URL("watchdog-thread.ts", import.meta.url), { workerData });
    this.#thread.unref();
  }

  begin(seed: number): void {
    this.#playing[0] = seed;
    this.#playing[1] = ++this.#begun;
  }

  /** Nothing is played that has to end soon. */
  rest(): void {
    this.#playing[1] = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}
