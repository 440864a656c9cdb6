/**
 * Streams whose items come from items of other streams: out of the arms of blocks, and by `zip`.
 *
 * T2  An item goes on when the stream it goes to has credit (S1).
 * T3  A forwarded stream ends when everything that was on its way has gone out.
 */
import type { SlotPlan } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { Failure } from "../state/failure.ts";
import { Zip, type Forward } from "../state/forward.ts";
import { isResolved, Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { hasCredit, type StreamInstance } from "../state/stream.ts";
import { ownError, recordFailure } from "./failures.ts";
import { letClose } from "./feeds.ts";
import { dropOldest } from "./policies/drop-oldest.ts";
import { resolve } from "./queue.ts";
import { findStream, openItem, openStream, streamEnded } from "./streams.ts";

/** Something arrived, or nothing more will. */
export function readyForward(run: RunState, context: Context, slot: SlotPlan): void {
  const forward = context.values[slot.local] as Forward;
  let stream = findStream(context, slot.stream);
  if (stream === undefined) {
    stream = openStream(run, context, slot, null);
    stream.forward = forward;
  }
  passOn(run, stream);
}

/** T2 */
export function passOn(run: RunState, stream: StreamInstance): void {
  const { forward } = stream;
  if (forward === null || stream.ended) return;
  while (hasCredit(stream) || dropOldest(run, stream)) {
    const parcel = forward.take();
    if (parcel === null) break;
    if (parcel.items.every((item) => !item.closed && !item.abandoned))
      openItem(run, stream, parcel.value, parcel.state);
    letClose(parcel);
  }
  if (hasCredit(stream)) endIfOver(run, stream, forward);
}

/** T3: nothing of it waits for credit. */
function endIfOver(run: RunState, stream: StreamInstance, forward: Forward): void {
  const slot = run.program.plan.slots[stream.plan.source] as SlotPlan;
  if (stream.failing !== null) {
    end(run, stream, forward, stream.failing);
    return;
  }
  const over = forward.over(slot.zip?.uneven === "stop");
  if (over === null) return;
  const failure = over === "uneven" && forward instanceof Zip ? uneven(run, stream.owner, slot) : null;
  const { owner } = stream;
  if (!isResolved(owner.states[slot.local] as number))
    resolve(owner, slot, failure === null ? Resolution.value : Resolution.failed, failure ?? undefined);
  end(run, stream, forward, failure);
}

function end(run: RunState, stream: StreamInstance, forward: Forward, failure: Failure | null): void {
  for (const parcel of forward.clear()) letClose(parcel);
  streamEnded(run, stream, failure);
}

function uneven(run: RunState, owner: Context, slot: SlotPlan): Failure {
  const error = ownError("UnevenZip", { keys: slot.zip?.keys.join(", ") ?? "" });
  return recordFailure(run, owner, slot, error, 1, undefined);
}

/** The source of a forwarded stream failed: what is on its way still goes out. */
export function failForwarded(run: RunState, stream: StreamInstance, failure: Failure): void {
  stream.failing ??= failure;
  passOn(run, stream);
}
