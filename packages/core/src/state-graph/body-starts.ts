import type { StreamEvent } from "../engine/stream/events.ts";

/**
 * That a body begins is in no journal: a reader that comes later is told so before the first that is known of it. Each begin is told
 * once per reading, whatever attempts there are.
 */
export class BodyStarts {
  /** Bodies under way, by path. */
  readonly #begun: Set<string> = new Set();

  /** Whether `event`, which is of a body, is the first that this reader hears of it. */
  begins(event: Extract<StreamEvent, { readonly mode: "tasks" | "updates" | "custom" }>): boolean {
    const { path } = event;
    if ("reset" in event) return false;
    const isFirst = !this.#begun.has(path);
    if (isEnd(event)) this.#begun.delete(path);
    else this.#begun.add(path);
    return isFirst && !isNoBegin(event);
  }
}

function isEnd(event: StreamEvent): boolean {
  if (event.mode !== "tasks") return false;
  return event.task === "finished" || isNoBegin(event) || (event.task === "failed" && !event.retrying);
}

/** It never ran, or nobody will hear of it again. */
function isNoBegin(event: StreamEvent): boolean {
  return event.mode === "tasks" && ["swept", "absent", "untaken", "skipped"].includes(event.task);
}
