/** `onFull: "dropOldest"`: the oldest item in which no op has started makes room; with none such, the producer waits. */
import type { Context } from "../../state/context.ts";
import { Resolution } from "../../state/resolution.ts";
import type { StreamInstance } from "../../state/stream.ts";
import type { RunState } from "../../state/run-state.ts";
import { abandon } from "../abandon.ts";

export function dropOldest(run: RunState, stream: StreamInstance): boolean {
  if (stream.plan.onFull !== "dropOldest") return false;
  for (let item = stream.first; item !== null; item = item.next) {
    if (!item.started && item.streams === null) {
      drop(run, stream, item);
      return true;
    }
  }
  return false;
}

/** Everything the item was to become is absent; it is retired at once, so its places in lanes are passed over. */
function drop(run: RunState, stream: StreamInstance, item: Context): void {
  stream.dropped++;
  // Z1
  if (stream.region === null && stream.owner.scope.ephemeral < 0) {
    run.dropped ??= [];
    run.dropped.push({ slot: stream.plan.source, owner: stream.owner, index: item.index });
  }
  abandon(run, item, Resolution.absent);
}
