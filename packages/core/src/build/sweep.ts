import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import type { Ref, RefOf } from "../model/ref.ts";
import type { Scope } from "../model/scope.ts";
import { frameFor, type Frame } from "./builder.ts";
import { checkHome, eachSource, gather } from "./gather.ts";
import { takeName } from "./names.ts";
import { checkKeys } from "./options.ts";
import { infoOf } from "./ref.ts";
import { isInside, itemScopeOf } from "./scopes.ts";
import { addSlot } from "./slots.ts";
import { slotRef } from "./streams.ts";

/** When to sweep, and what. */
export interface SweepOptions<S extends Scope> {
  /** Sweeps when this turns true. */
  readonly on: RefOf<boolean, S>;
  /** What is cancelled: the open items of the streams that these refs are of, with what makes them. */
  readonly cancel: readonly RefOf<unknown, Scope>[];
}

/**
 * Cancels work from inside the graph: when `on` is true, the open contexts of the refs in `cancel` are aborted. Inside an
 * item it reaches earlier items of that stream only: what the caller says now ends what was being said before (barge-in).
 * Items that ended stay, and so do pushes that were folded. Gives how many items and makers of items it cancelled.
 *
 * ```ts
 * sweep("bargeIn", { on: heard.speech, cancel: [delta, spoken] });
 * ```
 */
export function sweep<S extends Scope>(name: string, options: SweepOptions<S>): Ref<number, S> {
  const frame = frameFor("sweep()");
  const scoped = takeName(frame, "this sweep", name);
  const where = `sweep ${scoped}`;
  checkKeys(where, options, ["on", "cancel"]);
  const { template, scope } = gather(frame, options.on, where);
  if (!Array.isArray(options.cancel) || options.cancel.length === 0)
    throw buildError(`${where} cancels nothing`, "name refs of the items to cancel: cancel: [delta]");
  const targets = options.cancel.flatMap((ref: unknown) =>
    targetsOf(frame, where, itemScopeOf(frame.builder, scope), ref),
  );
  const slot = addSlot(frame.builder, {
    kind: SlotKind.sweep,
    scope,
    name: scoped,
    inputs: template,
    after: frame.after,
    targets: [...new Set(targets)],
  });
  return slotRef(frame, slot.id, scoped, true) as Ref<number, S>;
}

/** Slots whose contexts the sweep can reach: in its own item scope, or further in. */
function targetsOf(frame: Frame, where: string, item: number, ref: unknown): number[] {
  const info = infoOf(ref);
  if (info === undefined)
    throw buildError(`cancel of ${where} holds something that is not a ref`, "name refs of the items to cancel");
  checkHome(frame, info, where);
  const { builder } = frame;
  const slots: number[] = [];
  eachSource(info.template, ({ slot }) => {
    const { scope } = builder.slots[slot]!;
    if (itemScopeOf(builder, scope) === 0)
      throw buildError(
        `${where} cancels ${info.label}, which belongs to the run itself`,
        "a run is ended by cancel(); a sweep ends items, so name refs that are made per item",
      );
    if (scope !== item && !isInside(builder, scope, item))
      throw buildError(
        `${where} cancels ${info.label}, whose items it cannot see`,
        "a sweep reaches its own stream and the streams inside",
      );
    slots.push(slot);
  });
  return slots;
}
