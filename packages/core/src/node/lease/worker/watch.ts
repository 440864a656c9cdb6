import type { Beat } from "../beat.ts";

/** Whether the main loop still comes round, once it tells. */
export class Watch {
  readonly #beat: Beat;
  readonly #stuckAfterMs: number;
  #turns = 0;
  #since = 0;

  constructor(beat: Beat, stuckAfterMs: number) {
    this.#beat = beat;
    this.#stuckAfterMs = stuckAfterMs;
  }

  isStuck(now: number): boolean {
    const { turns } = this.#beat;
    if (turns !== this.#turns) {
      this.#turns = turns;
      this.#since = now;
    }
    return turns !== 0 && now - this.#since >= this.#stuckAfterMs;
  }
}
