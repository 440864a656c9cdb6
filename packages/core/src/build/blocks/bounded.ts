/**
 * A call of a graph with `timeout.total`. The callee's nodes are in an arm of the call, so that all of them can be ended
 * at once; what the body returned leaves the arm slot by slot, and reads like the result of any other call.
 */
import { SlotKind, type Source, type Template } from "../../model/plan.ts";
import { newScope, type Builder, type DraftSlot, type Frame } from "../builder.ts";
import { oneSlot } from "../collectors.ts";
import type { Result } from "../result.ts";
import { addSlot } from "../slots.ts";
import { leaveStream, streamOf, type Left } from "./leave.ts";
import { blockPlan } from "./block-plan.ts";

/**
 * The frame of the callee, in an arm. It uses nothing but its input, so the arm stays in the scope of the call; and what
 * the call waits for, the arm has behind it when it opens.
 */
export function boundedFrame(beside: Frame): Frame {
  const { scopes } = beside.builder;
  const scope = scopes.length;
  scopes.push(newScope({ id: scope, kind: "arm", parent: beside.scope }));
  return { ...beside, scope, after: [] };
}

export interface BoundedCall {
  readonly caller: Frame;
  /** The callee's as it would be without a limit: in the scope of the call. */
  readonly beside: Frame;
  readonly frame: Frame;
  readonly name: string;
  readonly inputs: Template;
  /** Milliseconds. */
  readonly limit: number;
}

/** The result as the caller sees it: `template` is what it is inside. */
export function leaveCallee(call: BoundedCall, type: Result["type"], template: Template): Template {
  const { caller, beside, frame, name } = call;
  const { builder } = frame;
  const block = addBlock(builder, call);
  const scope = builder.scopes[frame.scope]!;
  scope.block = block.id;
  const left: Left = { frame: caller, block: block.id, home: beside.scope, arms: [{ frame, template }] };
  const taken = new Map<number, number>();
  const leave = (part: Template, label: string): Template =>
    streamOf(builder, left.arms[0]!, part) >= 0
      ? leaveStream(left, [part], label, true)
      : mapSources(part, (source) => ({ ...source, slot: takenOf(left, taken, source.slot) }));
  if (type === "record" && template.type === "object")
    return { ...template, values: template.values.map((part, i) => leave(part, `${name}.${template.keys[i]!}`)) };
  if (type === "list" && template.type === "array")
    return { ...template, items: template.items.map((part, i) => leave(part, `${name}.${i}`)) };
  return leave(template, name);
}

function addBlock(builder: Builder, { beside, frame, name, inputs, limit }: BoundedCall): DraftSlot {
  return addSlot(builder, {
    kind: SlotKind.bounded,
    scope: beside.scope,
    name,
    inputs,
    after: beside.after,
    block: blockPlan([frame.scope], { timeout: limit }),
  });
}

/** What stands for a slot outside of the call. What the callee only passes on goes through it all the same. */
function takenOf({ block, home, arms }: Left, known: Map<number, number>, slot: number): number {
  const before = known.get(slot);
  if (before !== undefined) return before;
  const { scope, builder } = arms[0]!.frame;
  const inside = oneSlot(builder, { type: "source", source: { slot, path: [], strict: false } }, scope);
  const taken = addSlot(builder, {
    kind: SlotKind.taken,
    scope: home,
    arms: { block, from: [inside] },
    reads: builder.reads[slot] ?? null,
  });
  (builder.slots[block]!.block!.outputs as number[]).push(taken.id);
  known.set(slot, taken.id);
  return taken.id;
}

function mapSources(template: Template, change: (source: Source) => Source): Template {
  switch (template.type) {
    case "constant":
      return template;
    case "source":
      return { type: "source", source: change(template.source) };
    case "object":
      return { ...template, values: template.values.map((value) => mapSources(value, change)) };
    case "array":
      return { ...template, items: template.items.map((item) => mapSources(item, change)) };
  }
}
