/** What is worth knowing about blocks and questions that is not wrong. */
import { SlotKind, type Finding } from "../model/plan.ts";
import type { Builder, DraftSlot } from "./builder.ts";
import { DEFAULT_MAX } from "./blocks/loop.ts";
import { feedersOf } from "./feeders.ts";
import { isWithin } from "./scopes.ts";

export function blockFindings(builder: Builder): Finding[] {
  return builder.slots.flatMap((slot) => {
    if (slot.kind === SlotKind.loop) return ofLoop(builder, slot);
    if (slot.kind === SlotKind.race) return ofRace(slot);
    return slot.kind === SlotKind.ask ? ofQuestion(slot) : [];
  });
}

function ofLoop(builder: Builder, { name, block }: DraftSlot): Finding[] {
  const { max, onLimit, results, scopes } = block!;
  const found: Finding[] = [];
  if (!mayChange(builder, results[0]!, scopes[0]!))
    found.push({
      level: "warning",
      code: "ConstantUntil",
      node: name,
      message: `until of loop ${name} reads nothing of its iteration: it is the same in each of them`,
    });
  if (max === DEFAULT_MAX && onLimit === "fail")
    found.push({
      level: "info",
      code: "DefaultLimit",
      node: name,
      message: `loop ${name} fails after ${DEFAULT_MAX.toLocaleString("en-US")} iterations; max says otherwise`,
    });
  return found;
}

/** Edges are pure: only the state, a node or a cell of the iteration makes a value that differs from the one before. */
function mayChange(builder: Builder, from: number, iteration: number): boolean {
  const seen = new Set<number>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const slot = builder.slots[id]!;
    if (seen.has(id) || !isWithin(builder, slot.scope, iteration)) continue;
    if (slot.name !== "" || slot.kind === SlotKind.item || slot.kind === SlotKind.read) return true;
    seen.add(id);
    open.push(...slot.dependencies.map((each) => each.slot), ...feedersOf(slot));
    if (slot.collect !== null) open.push(slot.collect.watch);
  }
  return false;
}

function ofRace({ name, block }: DraftSlot): Finding[] {
  if (block!.scopes.length > 1) return [];
  const message = `race ${name} has one arm: it has nobody to race against`;
  return [{ level: "warning", code: "RaceOfOne", node: name, message }];
}

function ofQuestion({ name, ask }: DraftSlot): Finding[] {
  if (ask!.timeout > 0) return [];
  const message = `interrupt ${name} waits for its answer for ever; timeout says otherwise`;
  return [{ level: "info", code: "NoTimeout", node: name, message }];
}
