/** The one module that makes and reads context paths and record addresses. */
import type { At } from "../events/record.ts";
import type { Plan, ScopePlan, SlotPlan, StreamPlan } from "../model/plan.ts";
import type { Context } from "./context.ts";

/**
 * `nightly/listDocs[3]`, `agent/turns#0/think.calls[2]`: the graph's name and a segment per item and iteration around
 * the context. Inside an iteration names are written without the loop's, which is in the path already.
 */
export function contextPath(plan: Plan, context: Context): string {
  return place(plan, context).path;
}

/** `nightly/listDocs[3]/parse`. */
export function nodePath(plan: Plan, context: Context, slot: number): string {
  return pathOf(plan, context, plan.slots[slot]?.name ?? "?");
}

/** The same for a name: of a node, or of a subgraph's call. */
export function pathOf(plan: Plan, context: Context, name: string): string {
  const { path, prefix } = place(plan, context);
  return `${path}/${within(prefix, name)}`;
}

interface Place {
  readonly path: string;
  /** The scoped name of the innermost loop around, and a slash; or empty. */
  readonly prefix: string;
}

function place(plan: Plan, context: Context): Place {
  const { parent, stream, block } = context;
  if (parent === null) return { path: plan.name, prefix: "" };
  const outer = place(plan, parent);
  if (stream !== null)
    return {
      path: `${outer.path}/${within(outer.prefix, stream.plan.segment)}[${context.index}]`,
      prefix: outer.prefix,
    };
  if (context.scope.kind !== "iteration" || block === null) return outer;
  const { name } = block.slot;
  return { path: `${outer.path}/${within(outer.prefix, name)}#${context.index}`, prefix: `${name}/` };
}

/** Everything in an iteration is named under its loop, so that cutting the loop's name off keeps names apart. */
function within(prefix: string, name: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Indices of the items and iterations around, from the outermost inward. */
export function addressOf(context: Context): At {
  if (context.parent === null) return 0;
  const indices: number[] = [];
  for (let at: Context = context; at.parent !== null; at = at.parent)
    if (at.scope.kind !== "arm") indices.push(at.index);
  return indices.length === 0 ? 0 : indices.reverse();
}

/** What a node's path names. */
export interface NodePlace {
  readonly slot: SlotPlan;
  readonly at: At;
}

const index = /([[#])(\d{1,15})/g;

/**
 * The reverse of `nodePath`; undefined: no node of the plan has such a path. A node that is in no item and no iteration may
 * be named without the graph's name.
 */
export function readNodePath(plan: Plan, path: string): NodePlace | undefined {
  const indices: number[] = [];
  const shape = path.replaceAll(index, (_, mark: string, digits: string) => {
    indices.push(Number(digits));
    return mark;
  });
  const slots = slotsByShape(plan);
  const slot = slots.get(shape) ?? slots.get(`${plan.name}/${shape}`);
  return slot === undefined ? undefined : { slot, at: indices.length === 0 ? 0 : indices };
}

const shapes = new WeakMap<Plan, ReadonlyMap<string, SlotPlan>>();

/** Paths of all named slots, without their indices. */
function slotsByShape(plan: Plan): ReadonlyMap<string, SlotPlan> {
  let known = shapes.get(plan);
  if (known === undefined) {
    known = new Map(plan.slots.filter(({ name }) => name !== "").map((slot) => [shapeOf(plan, slot), slot]));
    shapes.set(plan, known);
  }
  return known;
}

/** For messages: `nightly/listDocs[…]/parse`. */
export function pathPattern(plan: Plan, slot: SlotPlan): string {
  return shapeOf(plan, slot, "…");
}

/** The path of a node's invocation, from where its record says that it is. */
export function pathAt(plan: Plan, slot: number, at: At): string {
  const indices = at === 0 ? [] : at.slice();
  return pathFrom(plan, plan.slots[slot] as SlotPlan, () => String(indices.shift()));
}

/** Stands for an index where a path is kept as a pattern: no name and no field has it. */
const anyIndex = "\0";

/** The same for programs, to be filled by `filledPath`. */
export function pathShape(plan: Plan, slot: SlotPlan): string {
  return shapeOf(plan, slot, anyIndex);
}

export function filledPath(shape: string, at: At): string {
  const indices = at === 0 ? [] : at.slice();
  return shape.replaceAll(anyIndex, () => String(indices.shift()));
}

function shapeOf(plan: Plan, slot: SlotPlan, instead = ""): string {
  return pathFrom(plan, slot, () => instead);
}

/** `next`: what stands for the next index, from the outermost inward. */
function pathFrom(plan: Plan, { scope, name }: SlotPlan, next: () => string): string {
  const { path, prefix } = placeOf(plan, plan.scopes[scope] as ScopePlan, next);
  return `${path}/${within(prefix, name)}`;
}

/** As `place`, for any context of the scope. */
function placeOf(plan: Plan, scope: ScopePlan, next: () => string): Place {
  if (scope.parent < 0) return { path: plan.name, prefix: "" };
  const outer = placeOf(plan, plan.scopes[scope.parent] as ScopePlan, next);
  if (scope.kind === "arm") return outer;
  if (scope.kind === "item") {
    const { segment } = plan.streams[scope.stream] as StreamPlan;
    return { path: `${outer.path}/${within(outer.prefix, segment)}[${next()}]`, prefix: outer.prefix };
  }
  const { name } = plan.slots[scope.block] as SlotPlan;
  return { path: `${outer.path}/${within(outer.prefix, name)}#${next()}`, prefix: `${name}/` };
}
