import type { SlotPlan } from "../model/plan.ts";
import { SlotKind } from "../model/plan.ts";
import type { Context } from "../state/context.ts";
import type { RunState } from "../state/run-state.ts";
import { readyForward } from "./forward.ts";
import { readyFeed, readySweep } from "./sweep.ts";
import { readyOp } from "./dispatch.ts";
import { readyFilter, readyPresent, readyValue } from "./edges/values.ts";
import { readyEach } from "./edges/each.ts";
import { readyBounded } from "./blocks/bounded.ts";
import { readyChoose } from "./blocks/choose.ts";
import { readyFallback } from "./blocks/fallback.ts";
import { readyLoop } from "./blocks/loop.ts";
import { readyRace } from "./blocks/race.ts";
import { readyEmit } from "./edges/emit.ts";
import { readyFail } from "./edges/fail.ts";
import { readyPush, readyRead } from "./cells.ts";
import { inTurn } from "./policies/turn.ts";

type Handler = (run: RunState, context: Context, slot: SlotPlan) => void;

/** Input, item and the collectors are resolved by events and streams, never by their dependencies. */
const never: Handler = (_run, _context, slot) => {
  throw new Error(`slot ${slot.id} became ready by its dependencies`);
};

/** What a slot does once all its dependencies have values, by kind. */
const handlers: readonly Handler[] = Object.entries({
  [SlotKind.input]: never,
  [SlotKind.item]: never,
  [SlotKind.op]: (run, context, slot) => readyOp(run, context, slot.id),
  [SlotKind.derive]: readyValue,
  [SlotKind.orElse]: readyValue,
  [SlotKind.filter]: readyFilter,
  [SlotKind.present]: readyPresent,
  [SlotKind.record]: readyValue,
  [SlotKind.each]: readyEach,
  [SlotKind.collect]: never,
  [SlotKind.reduce]: never,
  [SlotKind.end]: never,
  [SlotKind.deliver]: never,
  [SlotKind.push]: inTurn(readyPush),
  [SlotKind.read]: readyRead,
  [SlotKind.choose]: readyChoose,
  [SlotKind.taken]: never,
  [SlotKind.loop]: readyLoop,
  [SlotKind.race]: readyRace,
  [SlotKind.fallback]: readyFallback,
  [SlotKind.fail]: readyFail,
  [SlotKind.through]: never,
  [SlotKind.emit]: inTurn(readyEmit),
  [SlotKind.sweep]: readySweep,
  [SlotKind.feed]: readyFeed,
  [SlotKind.finalizer]: never,
  [SlotKind.bounded]: readyBounded,
  [SlotKind.forward]: readyForward,
  [SlotKind.sleep]: (run, context, slot) => readyOp(run, context, slot.id),
  [SlotKind.ask]: (run, context, slot) => readyOp(run, context, slot.id),
} satisfies Record<SlotKind, Handler>)
  .toSorted(([a], [b]) => Number(a) - Number(b))
  .map(([, handler]) => handler);

export function onReady(run: RunState, context: Context, slot: SlotPlan): void {
  (handlers[slot.kind] as Handler)(run, context, slot);
}
