/** Observer events as short lists: what a run did, in one line per event. */
import type { NodeEvent, Observer } from "@millrace/core";
import type { ProgressModel } from "../../src/cli/progress/model.ts";

export type Told = readonly [kind: keyof Observer, node?: string, item?: number, detail?: number | null | string];

/** Feeds events to a model; `item` makes the path. */
export function tell(model: ProgressModel, events: readonly Told[], replayed = false): void {
  for (const [kind, node = "", item = 0, detail] of events) {
    const event: NodeEvent = { runId: "run-1", node, path: `flow/list[${item}]/${node}`, replayed };
    const { observer } = model;
    if (kind === "runStarted") observer.runStarted?.({ runId: "run-1", graph: "flow", replayed });
    else if (kind === "runEnded") observer.runEnded?.({ runId: "run-1", status: "completed" });
    else if (kind === "attemptStarted") observer.attemptStarted?.({ ...event, attempt: 1 });
    else if (kind === "yielded") observer.yielded?.({ ...event, index: item });
    else if (kind === "attemptFailed")
      observer.attemptFailed?.({
        ...event,
        attempt: 1,
        code: "E",
        message: "no",
        retryInMs: typeof detail === "number" ? detail : null,
      });
    else if (kind === "settled") observer.settled?.({ ...event, as: detail === "absent" ? "absent" : "skipped" });
    else observer[kind]?.(event);
  }
}

/** `n` times the events that `make` gives for item 0, 1, … */
export function times(n: number, make: (item: number) => readonly Told[]): Told[] {
  return Array.from({ length: n }, (_, item) => make(item)).flat();
}
