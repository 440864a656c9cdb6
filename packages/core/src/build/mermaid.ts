import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import { boxOf, type Box } from "./mermaid-boxes.ts";
import { linksOf } from "./mermaid-links.ts";
import { drawn, escape } from "./mermaid-shapes.ts";

/**
 * A Mermaid flowchart of a plan, for people: named nodes, cells and the output; edges between them labelled with what
 * they do on the way (`each`, `collect`, `filter`, …) and which body of a block they come out of; graph calls, the items
 * of streams and the bodies of blocks as boxes.
 */
export function mermaidOf(plan: Plan, title: string | undefined): string {
  const lines = title === undefined ? [] : ["---", `title: ${JSON.stringify(title)}`, "---"];
  lines.push("flowchart LR");
  const root: Box = { label: plan.name, body: -1, slots: [], boxes: new Map() };
  for (const slot of plan.slots) if (isShown(plan, slot)) boxOf(plan, root, slot).slots.push(slot);
  const bodies: Body[] = [];
  let boxes = 0;
  const draw = (box: Box, indent: string): void => {
    for (const slot of box.slots) lines.push(`${indent}${drawn(plan, slot)}`);
    for (const inner of box.boxes.values()) {
      const id = `b${boxes++}`;
      if (inner.body >= 0) bodies.push({ box: id, scope: inner.body });
      lines.push(`${indent}subgraph ${id}["${escape(inner.label)}"]`);
      draw(inner, `${indent}  `);
      lines.push(`${indent}end`);
    }
  };
  draw(root, "  ");
  plan.cells.forEach(({ name }, id) => lines.push(`  c${id}[("${escape(name)}")]`));
  const links = [...choices(plan, bodies), ...linksOf(plan, (slot) => isShown(plan, slot))];
  for (const link of links) lines.push(`  ${link}`);
  return `${lines.join("\n")}\n`;
}

/** Edges are drawn as labels, cells once for all their pushes and reads. */
function isShown(plan: Plan, slot: SlotPlan): boolean {
  return slot.name !== "" || slot.id === plan.output;
}

interface Body {
  readonly box: string;
  readonly scope: number;
}

/** From a decision to the bodies that it opens. */
function choices(plan: Plan, bodies: readonly Body[]): string[] {
  return bodies.flatMap(({ box, scope }) => {
    const { block, name } = plan.scopes[scope]!;
    return plan.slots[block]!.kind === SlotKind.choose ? [`n${block} -->|${name}| ${box}`] : [];
  });
}
