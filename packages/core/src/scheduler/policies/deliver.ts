/**
 * What the items of a stream came to, for the body that yielded them.
 *
 * M4  Deliveries stand in the order in which the items resolved: that of the records. They stay, for a body that begins again
 *     is told all of them anew; what a call came to may be put together from many records, so that no record holds it.
 */
import type { Delivery } from "../../model/conversation.ts";
import type { CollectState } from "../../state/collect.ts";
import type { Failure } from "../../state/failure.ts";
import { isBroken, Resolution } from "../../state/resolution.ts";
import type { RunState } from "../../state/run-state.ts";
import type { StreamInstance } from "../../state/stream.ts";

interface Left {
  readonly index: number;
  readonly state: number;
  readonly value: unknown;
}

/** A swept item is one that the body did not live to hear of. */
export function gatherDelivery(run: RunState, stream: StreamInstance, collect: CollectState, left: Left): void {
  if (left.state === Resolution.swept) return;
  collect.items.push(deliveryOf(left));
  if (run.replaying || stream.producer === null) return;
  (run.told ??= []).push(stream.producer);
}

/** That of this place, from 0; undefined: it has not come. Without a journal no body begins again: then it is not kept. */
export function takeDelivery({ journaled }: RunState, collect: CollectState, place: number): Delivery | undefined {
  const delivery = collect.items[place] as Delivery | undefined;
  if (!journaled && delivery !== undefined) collect.items[place] = undefined;
  return delivery;
}

function deliveryOf({ index, state, value }: Left): Delivery {
  if (isBroken(state)) return { call: index, ok: false, value: (value as Failure).error };
  return { call: index, ok: true, value: state === Resolution.value ? value : undefined };
}
