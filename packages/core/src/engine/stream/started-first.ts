import type { StreamEvent, TaskEvent } from "./events.ts";

type Outcome = Extract<TaskEvent, { task: "yielded" | "failed" | "finished" }>;

/**
 * Puts the start of an attempt before what came of it, once. Starts are not in the journal: a reader that joins later, or
 * that falls behind and reads on from there, would see tasks end that never began.
 */
export class StartedFirst {
  /** Attempts under way, by path. */
  readonly #begun: Map<string, number> = new Map();

  /** The start that is missing before `event`; null: `event` is a start that was given already. */
  before(event: StreamEvent): TaskEvent | undefined | null {
    if (event.mode !== "tasks") return undefined;
    if (event.task === "started") return this.#begin(event.path, event.attempt) ? undefined : null;
    if (event.task !== "yielded" && event.task !== "failed" && event.task !== "finished") return undefined;
    return this.#missing(event);
  }

  #begin(path: string, attempt: number): boolean {
    if (this.#begun.get(path) === attempt) return false;
    this.#begun.set(path, attempt);
    return true;
  }

  #missing(event: Outcome): TaskEvent | undefined {
    const { seq, part, node, path, attempt } = event;
    const missing = attempt > 0 && this.#begin(path, attempt);
    if (event.task !== "yielded") this.#begun.delete(path);
    return missing ? { seq, part: part - 1, mode: "tasks", node, path, task: "started", attempt } : undefined;
  }
}
