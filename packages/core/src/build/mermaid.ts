import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { boxOf, type Box } from "./mermaid-boxes.ts";
import { linksOf } from "./mermaid-links.ts";

/**
 * A Mermaid flowchart of a plan, for people: named nodes, cells and the output; edges between them labelled with what
 * they do on the way (`each`, `collect`, `filter`, …); graph calls and the items of streams as boxes.
 */
export function mermaidOf(plan: Plan, title: string | undefined): string {
  const lines = title === undefined ? [] : ["---", `title: ${JSON.stringify(title)}`, "---"];
  lines.push("flowchart LR");
  const root: Box = { label: plan.name, slots: [], boxes: new Map() };
  for (const slot of plan.slots) if (isShown(plan, slot)) boxOf(plan, root, slot).slots.push(slot);
  let boxes = 0;
  const draw = (box: Box, indent: string): void => {
    for (const slot of box.slots) lines.push(`${indent}${shape(plan, slot)}`);
    for (const inner of box.boxes.values()) {
      lines.push(`${indent}subgraph b${boxes++}["${escape(inner.label)}"]`);
      draw(inner, `${indent}  `);
      lines.push(`${indent}end`);
    }
  };
  draw(root, "  ");
  plan.cells.forEach(({ name }, id) => lines.push(`  c${id}[("${escape(name)}")]`));
  for (const link of linksOf(plan, (slot) => isShown(plan, slot))) lines.push(`  ${link}`);
  return `${lines.join("\n")}\n`;
}

/** Edges are drawn as labels, cells once for all their pushes and reads. */
function isShown(plan: Plan, slot: SlotPlan): boolean {
  return slot.name !== "" || slot.id === plan.output;
}

function shape(plan: Plan, slot: SlotPlan): string {
  if (slot.id === plan.output) return `n${slot.id}(["output"])`;
  const label = escape(slot.name.slice(slot.name.lastIndexOf("/") + 1));
  if (slot.kind === SlotKind.input) return `n${slot.id}(["${label}"])`;
  if (slot.kind === SlotKind.reduce) return `n${slot.id}[/"reduce ${label}"/]`;
  return slot.stream >= 0 ? `n${slot.id}[["${label}"]]` : `n${slot.id}["${label}"]`;
}

function escape(label: string): string {
  return label.replaceAll('"', "#quot;");
}
