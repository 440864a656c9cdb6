import { PendingQueue, Todo, type Pending } from "../state/pending.ts";
import { Flag } from "../state/tables.ts";
import type { Durability } from "./outcome.ts";
import type { Recorder } from "./recorder.ts";

/**
 * P1: effects whose records are not durable yet, in the order of their records. Under `async` durability pure ops run
 * ahead, as far as the recorder is not congested; under `sync` decisions of the engine itself do, under `exit` everything.
 */
export class Held {
  readonly #recorder: Recorder;
  readonly #durability: Durability;
  readonly #queue: PendingQueue = new PendingQueue();

  constructor(recorder: Recorder, durability: Durability) {
    this.#recorder = recorder;
    this.#durability = durability;
  }

  get empty(): boolean {
    return this.#queue.empty;
  }

  /** It waits in any case. */
  keep(pending: Pending): void {
    this.#queue.push(pending);
  }

  /** True when it must wait: then it is kept. */
  keeps(pending: Pending): boolean {
    if (!this.#mustWait(pending)) return false;
    this.#queue.push(pending);
    return true;
  }

  /** The next one that may go; null when there is none. */
  take(): Pending | null {
    const first = this.#queue.peek();
    return first === null || this.#mustWait(first) ? null : this.#queue.take();
  }

  clear(): void {
    this.#queue.clear();
  }

  #mustWait(pending: Pending): boolean {
    const recorder = this.#recorder;
    if (!recorder.alive) return true;
    if (this.#durability === "exit") return recorder.congested;
    const pull = pending.todo === Todo.pull;
    if (pull && pending.body !== null) return recorder.congested;
    // One that has no body yet begins from the recorded items, and reads them where they are durable.
    const ahead = this.#durability === "async" ? Flag.pure : Flag.ahead;
    if (!pull && (pending.flags & ahead) !== 0) return recorder.congested;
    return pending.seq > recorder.durable;
  }
}
