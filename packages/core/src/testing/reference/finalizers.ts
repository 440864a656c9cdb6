/**
 * Rule 12: when the run would end, what is still open is swept, and its finalizers open, each once and all together. The
 * run ends as it was to end, when they are through or their time is over.
 */
import { endBlock, openArm, openBlock } from "./blocks/arms.ts";
import { fail } from "./consequences.ts";
import { record } from "./failures.ts";
import type { Happening } from "./happening.ts";
import { sweepInside, sweep } from "./sweep.ts";
import { at, Illegal, slotOf, type Outcome, type World } from "./world.ts";

/** The run comes to its end, or to its finalizers. */
export function comeToEnd(world: World, outcome: Omit<Outcome, "errors">): void {
  if (world.plan.finalizers.length === 0 || world.ending !== null) endAs(world, outcome);
  else finalize(world, outcome);
}

export type Stop = Extract<Happening, { kind: "cancelRequested" | "stopped" }>;

/** Somebody, or the engine, ends the run; what it ends as is decided once. Why the engine does is a failure that no node has. */
export function stop(world: World, happening: Stop): void {
  if (world.ending !== null) return;
  if (happening.kind === "cancelRequested") {
    comeToEnd(world, { status: "cancelled", output: undefined, reason: happening.reason });
    return;
  }
  const { code, message } = happening;
  const { name } = world.plan;
  world.errors.set("", { node: name, path: name, code, type: code, message, attempts: 1, count: 1, handled: false });
  comeToEnd(world, { status: "failed", output: undefined, reason: "" });
}

export function endAs(world: World, outcome: Omit<Outcome, "errors">): void {
  world.end = { ...outcome, errors: [...world.errors.values()] };
}

function finalize(world: World, outcome: Omit<Outcome, "errors">): void {
  const { root, plan } = world;
  const { status, reason } = outcome;
  const errors = [...world.errors.values()];
  world.ending = outcome;
  sweepInside(world, root, new Set(plan.finalizers));
  root.closed = false;
  for (const id of plan.finalizers) {
    const block = openBlock(world, root, slotOf(world, id));
    const told = { status, errors, ...(status === "cancelled" ? { reason } : {}) };
    openArm(world, block, 0, 0, { value: told });
  }
}

/** One that is not through fails. */
export function finalizerOver(world: World, id: number): void {
  const slot = slotOf(world, id);
  if (world.ending === null)
    throw new Illegal(`the time of "${slot.name}" is over, and the run had not come to its end`);
  const block = world.blocks.get(at(world.root, id));
  if (block === undefined) return;
  const code = "FinalizerTimeout";
  const message = `"${slot.name}" did not end within ${slot.block?.timeout ?? 0} ms after the run`;
  const failure = record(world, world.root, slot, { code, type: code, message, data: undefined }, 1, undefined);
  fail(world, world.root, slot, failure);
  for (const arm of block.open.slice()) sweep(world, arm, "swept");
  endBlock(world, block);
}
