import type { Context } from "./context.ts";

/**
 * What a step has still to do. Steps are synchronous and never nested and leave it empty (E2), so that all runs of a
 * thread share one: a waiting run holds no queue.
 */
export class Work {
  /** Slot id of a resolution, or `~id` of a ready slot; and the context at the same index. */
  readonly codes: number[] = [];
  readonly contexts: (Context | undefined)[] = [];
  size = 0;
  /** Contexts whose last open work may have ended. */
  readonly closing: Context[] = [];

  get busy(): boolean {
    return this.size > 0 || this.closing.length > 0;
  }

  push(context: Context, code: number): void {
    this.contexts[this.size] = context;
    this.codes[this.size++] = code;
  }

  clear(): void {
    this.size = 0;
    this.contexts.length = 0;
    this.codes.length = 0;
    this.closing.length = 0;
  }

  /** After the last entry was taken. */
  reset(): void {
    if (this.contexts.length > 4096) {
      this.contexts.length = 0;
      this.codes.length = 0;
    } else {
      // What is over must not be kept alive from here.
      for (let i = 0; i < this.size; i++) this.contexts[i] = undefined;
    }
    this.size = 0;
  }
}

export const work: Work = new Work();
