/**
 * Credit (rule 5): at most `buffer` item contexts of one stream instance are open. An `each` opens the next items as
 * earlier ones close; a generator is asked for its next item only when there is room, and holds nothing while it waits.
 *
 * S1  openItems ≤ buffer.
 */
import { hasCredit, type StreamInstance } from "../../state/stream.ts";
import type { RunState } from "../../state/run-state.ts";
import { Todo } from "../../state/pending.ts";
import { emit } from "../queue.ts";
import { passOn } from "../forward.ts";
import { openItem, streamEnded } from "../streams.ts";
import { dropOldest } from "./drop-oldest.ts";

/** An item closed, or the stream just opened. */
export function refill(run: RunState, stream: StreamInstance): void {
  if (stream.list !== null) refillFromList(run, stream, stream.list);
  else if (stream.forward !== null) passOn(run, stream);
  else if (stream.waiting && hasCredit(stream)) wake(run, stream);
}

function refillFromList(run: RunState, stream: StreamInstance, list: readonly unknown[]): void {
  if (stream.ended) return;
  while (stream.yielded < list.length && (hasCredit(stream) || dropOldest(run, stream)))
    openItem(run, stream, list[stream.yielded]);
  if (stream.yielded >= list.length) streamEnded(run, stream, null);
}

function wake(run: RunState, stream: StreamInstance): void {
  if (stream.producer === null) return;
  stream.waiting = false;
  run.inFlight++;
  emit(run, stream.producer, Todo.pull);
}

/**
 * A generator's item went out: ask for the next one, or suspend it. With `dropOldest` it is never suspended: an item too
 * many takes the place of the oldest that has not started, which may be itself.
 */
export function afterFrame(run: RunState, stream: StreamInstance): void {
  if (stream.openItems > stream.plan.buffer) dropOldest(run, stream);
  if (stream.producer === null) return;
  if (hasCredit(stream) || stream.plan.onFull === "dropOldest") {
    emit(run, stream.producer, Todo.pull);
    return;
  }
  stream.waiting = true;
  run.inFlight--;
}
