import { buildError } from "../base/error.ts";
import { SlotKind } from "../model/plan.ts";
import { newScope, type DraftSlot, type Frame, type Reads } from "./builder.ts";
import { endsOfItems } from "./ends.ts";
import { makeRef } from "./ref.ts";
import { refuseDepth } from "./scopes.ts";
import { addSlot } from "./slots.ts";

const DEFAULT_BUFFER = 1024;

/** Makes `source` the source of a new stream, with its item scope, and returns the ref of the item. */
export function openStream(
  frame: Frame,
  source: DraftSlot,
  segment: string,
  named: boolean,
  reads: Reads | null,
): unknown {
  const { builder } = frame;
  takeSegment(frame, source.scope, segment);
  refuseDepth(builder, source, segment);
  const id = builder.streams.length;
  const itemScope = builder.scopes.length;
  builder.scopes.push(newScope({ id: itemScope, kind: "item", parent: source.scope, stream: id }));
  builder.streams.push({
    id,
    source: source.id,
    itemScope,
    segment,
    buffer: DEFAULT_BUFFER,
    onFull: "wait",
    ephemeral: false,
    collectors: [],
    passedOn: false,
    lanes: [],
  });
  source.stream = id;
  const item = addSlot(builder, { kind: SlotKind.item, scope: itemScope, reads });
  item.anchor = source.anchor;
  builder.ends[item.id] = endsOfItems(builder, source);
  builder.typed[item.id] = itemScope;
  return itemRef(frame, item.id, segment, named);
}

export function itemRef(frame: Frame, slot: number, label: string, named: boolean): unknown {
  return slotRef(frame, slot, label, named);
}

/** The ref of a slot's whole value. */
export function slotRef(frame: Frame, slot: number, label: string, named: boolean): unknown {
  return makeRef({
    frame,
    template: { type: "source", source: { slot, path: [], strict: false } },
    label,
    named,
    key: `s${slot}`,
    kind: "value",
  });
}

function takeSegment(frame: Frame, scope: number, segment: string): void {
  const { segments } = frame.builder;
  const key = `${scope} ${segment}`;
  if (segments.has(key))
    throw buildError(
      `two streams would be called ${segment}`,
      'give one of them a name: each(list, { name: "…" })',
      "DuplicateName",
    );
  segments.add(key);
}
