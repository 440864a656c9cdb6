/** Observer events as short lists: what a run did, in one line per event. */
import type { NodeEvent, Observer } from "@millrace/core";
import type { ProgressModel } from "../../src/cli/progress/model.ts";

export type Told = readonly [kind: Counted, node?: string, item?: number, detail?: number | null | string];

/** What a model of progress listens to. */
type Counted = Exclude<keyof Observer, "failed" | "emitted" | "answered" | "reset">;
type Teller = (observer: Observer, event: NodeEvent, detail: Told[3]) => void;

const tellers: Readonly<Record<Counted, Teller>> = {
  runStarted: (observer, { replayed }) => observer.runStarted?.({ runId: "run-1", graph: "flow", replayed }),
  expected: (observer, event) => observer.expected?.(event),
  attemptStarted: (observer, event) => observer.attemptStarted?.({ ...event, attempt: 1, input: {}, upstream: [] }),
  yielded: (observer, event) => observer.yielded?.({ ...event, attempt: 1, index: 0, value: {} }),
  attemptFailed: (observer, event, retryInMs) =>
    observer.attemptFailed?.({
      ...event,
      attempt: 1,
      code: "E",
      type: "Error",
      message: "no",
      retryInMs: retryInMs as number | null,
      retryAt: null,
    }),
  asked: (observer, event) => observer.asked?.({ ...event, id: "id", payload: {} }),
  finished: (observer, event) => observer.finished?.({ ...event, value: {}, attempts: 1 }),
  settled: (observer, event, as) => observer.settled?.({ ...event, as: as as "absent" | "skipped" }),
  runEnded: (observer) => observer.runEnded?.({ runId: "run-1", status: "completed" }),
};

/** Feeds events to a model; `item` makes the path. */
export function tell(model: ProgressModel, events: readonly Told[], replayed = false): void {
  for (const [kind, node = "", item = 0, detail] of events) {
    const path = `flow/list[${item}]/${node}`;
    tellers[kind](model.observer, { runId: "run-1", node, path, kind: "op", seq: 1, replayed }, detail);
  }
}

/** `n` times the events that `make` gives for item 0, 1, … */
export function times(n: number, make: (item: number) => readonly Told[]): Told[] {
  return Array.from({ length: n }, (_, item) => make(item)).flat();
}
