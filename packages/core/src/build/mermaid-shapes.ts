import { durationText } from "../base/duration.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";

type Shape = readonly [open: string, close: string];

const plain: Shape = ["[", "]"];
const source: Shape = ["[[", "]]"];
const end: Shape = ["([", "])"];

/** Where a run decides, waits or begins; everything else is a box, or a double one when it makes a stream. */
const shapes: Readonly<Partial<Record<SlotKind, Shape>>> = {
  [SlotKind.input]: end,
  [SlotKind.reduce]: ["[/", "/]"],
  [SlotKind.choose]: ["{", "}"],
  [SlotKind.race]: ["{", "}"],
  [SlotKind.loop]: ["{{", "}}"],
  [SlotKind.fallback]: ["[/", "\\]"],
  [SlotKind.finalizer]: ["(", ")"],
  [SlotKind.ask]: [">", "]"],
  [SlotKind.sleep]: ["((", "))"],
  [SlotKind.bounded]: ["((", "))"],
};

export function drawn(plan: Plan, slot: SlotPlan): string {
  if (slot.id === plan.output) return shaped(slot, end, "output");
  const name = slot.name.slice(slot.name.lastIndexOf("/") + 1);
  const shape = shapes[slot.kind] ?? (slot.stream >= 0 ? source : plain);
  return shaped(slot, shape, labelOf(slot, name));
}

function labelOf({ kind, block }: SlotPlan, name: string): string {
  if (kind === SlotKind.reduce) return `reduce ${name}`;
  return kind === SlotKind.bounded ? `${name} within ${durationText(block?.timeout ?? 0)}` : name;
}

function shaped({ id }: SlotPlan, [open, close]: Shape, label: string): string {
  return `n${id}${open}"${escape(label)}"${close}`;
}

export function escape(label: string): string {
  return label.replaceAll('"', "#quot;");
}
