import { SlotKind } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";

/**
 * Marks the slots whose failure is handled: every path from them meets a `skip` or `settle` before an output or a dead
 * end (DESIGN §3 rule 10). Ids are a topological order, so one pass from the last slot suffices. An `end` is no path:
 * it takes items as they come.
 */
export function markHandled(builder: Builder): void {
  const paths: boolean[][] = builder.slots.map(() => []);
  for (let id = builder.slots.length - 1; id >= 0; id--) {
    const slot = builder.slots[id]!;
    const answers = paths[id]!;
    slot.handled = answers.length > 0 && answers.every(Boolean);
    for (const { slot: source } of slot.dependencies) paths[source]!.push(slot.handled);
    if (slot.collect !== null) followCollector(builder, slot, paths);
  }
}

/** An item that failed stops at `skip` and `settle`; a stream that failed only at `settle`. */
function followCollector(builder: Builder, slot: DraftSlot, paths: boolean[][]): void {
  const { watch, stream, errors } = slot.collect!;
  if (slot.kind !== SlotKind.end) paths[watch]!.push(slot.handled || errors !== "fail");
  paths[builder.streams[stream]!.source]!.push(slot.handled || errors === "settle");
}
