/**
 * Contexts open.
 *
 * K1  A context closes when its open work is zero: nothing in it runs, is queued, waits for an outer slot, or streams.
 * K2  A context with open work has open ancestors: a stream counts as open work of its owner while it has open items.
 * K3  The run ends when the root closes.
 */
import type { OuterDependency, SlotPlan } from "../model/plan.ts";
import { Context, enclosing } from "../state/context.ts";
import { isResolved } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import { work } from "../state/work.ts";
import { linkItem, type StreamInstance } from "../state/stream.ts";
import { notify } from "./notify.ts";
import { markReady, resolve } from "./queue.ts";

export function openItemContext(
  run: RunState,
  stream: StreamInstance,
  index: number,
  value: unknown,
  state: number,
): Context {
  const { scopes, slots, initial, blank } = run.program;
  const scope = scopes[stream.plan.itemScope];
  if (scope === undefined) throw new Error("a stream has an item scope");
  const states = (initial[scope.id] as number[]).slice();
  const item = new Context(scope, states, (blank[scope.id] as unknown[]).slice(), stream.owner, stream, index);
  linkItem(stream, item);
  resolve(item, slots[scope.slots[0] as number] as SlotPlan, state, value);
  openContext(run, item);
  return item;
}

/** Wires a fresh context to its ancestors and makes its independent slots ready. */
export function openContext(run: RunState, context: Context): void {
  const { outer, ready, slots } = context.scope;
  for (let i = 0; i < outer.length; i++) {
    const { local } = outer[i] as OuterDependency;
    context.states[local] = (context.states[local] as number) + 1;
  }
  for (let i = 0; i < outer.length; i++) joinOuter(run, context, outer[i] as OuterDependency);
  for (let i = 0; i < ready.length; i++)
    markReady(context, run.program.slots[slots[ready[i] as number] as number] as SlotPlan);
  work.closing.push(context);
}

function joinOuter(run: RunState, context: Context, dependency: OuterDependency): void {
  const { after } = dependency;
  const slot = context.scope.slots[dependency.local] as number;
  const from = run.program.slots[dependency.slot] as SlotPlan;
  const owner = enclosing(context, context.scope.depth - dependency.hops);
  const state = owner.states[from.local] as number;
  if (isResolved(state)) {
    notify(run, context, slot, after, state, owner.values[from.local]);
    return;
  }
  context.open++;
  owner.waiters ??= new Map();
  const waiters = owner.waiters.get(from.id);
  if (waiters === undefined) owner.waiters.set(from.id, [{ context, slot, after }]);
  else waiters.push({ context, slot, after });
}
