/**
 * The short way of a step: an op's output of which one invocation comes and nothing else. Most steps of a chain and of a
 * loop are such, and it is known what the queue would have to do with them: nothing.
 *
 * Q1  It leaves what the long way leaves: the same states, decisions and invocation (R2).
 */
import type { BlockInstance } from "../state/block.ts";
import { Context, freed } from "../state/context.ts";
import type { LoopTable } from "../state/loop-table.ts";
import { Todo, type Pending } from "../state/pending.ts";
import { Resolution } from "../state/resolution.ts";
import type { RunState } from "../state/run-state.ts";
import type { Opening, Sequel } from "../state/sequel.ts";
import { work } from "../state/work.ts";
import { CONTINUES } from "./blocks/loop.ts";
import { hasUnresolved } from "./close.ts";
import { decideAs } from "./decisions.ts";
import { invoke, leave, tryRead, unreadable } from "./dispatch.ts";
import { notify } from "./notify.ts";
import { emit } from "./queue.ts";

/**
 * The invocation that comes of the output: dispatched, and nobody was told. Null: the output has spread, and the rest is
 * in the queue. Undefined: nothing was done.
 */
export function sequelOf(run: RunState, pending: Pending, value: unknown): Pending | null | undefined {
  const sequel = run.program.sequels[pending.id] as Sequel | null;
  const { context } = pending;
  if (sequel === null || run.probe !== null || context.waiters !== null || context.abandoned) return undefined;
  return sequel.op >= 0 ? nextOp(run, pending, value, sequel.op) : nextIteration(run, pending, value, sequel);
}

function nextOp(run: RunState, pending: Pending, value: unknown, op: number): Pending | undefined {
  const { context, local } = pending;
  if (context.states[run.tables.locals[op] as number] !== 1) return undefined;
  context.values[local] = value;
  const input = tryRead(run, context, op);
  if (input === unreadable) return undefined;
  context.states[local] = Resolution.value;
  // Open work and what is in flight stay as many: one invocation is over, another one begins.
  run.inFlight--;
  return invoke(run, context, op, input);
}

function nextIteration(run: RunState, pending: Pending, value: unknown, sequel: Sequel): Pending | null | undefined {
  const { context, local } = pending;
  const block = context.block as BlockInstance;
  const table = run.program.loops[block.slot.id] as LoopTable;
  if (table.opening === null || context.open > 1 || block.abandoned || run.reported !== null) return undefined;
  context.states[local] = Resolution.value;
  context.values[local] = value;
  const { edges } = sequel;
  for (let i = 0; i < edges.length; i++) {
    const edge = edges[i] as number;
    notify(run, context, edge >> 1, (edge & 1) === 1, Resolution.value, value);
  }
  run.inFlight--;
  if (goesOn(run, block, context, table)) return goOn(run, block, context, table);
  leave(run, context, pending.slot, pending.flags);
  return null;
}

/**
 * Nothing is unusual: no edge failed, none of the slots that say what comes next is without a value. Where a choice may have
 * been made before, by the journal that is replayed or in the origin of a fork, the long way asks for it.
 */
function goesOn(run: RunState, block: BlockInstance, iteration: Context, { until, next }: LoopTable): boolean {
  const { states, values, index } = iteration;
  if (work.size > 0 || run.foretold !== null || run.kept !== null) return false;
  if (states[until] !== Resolution.value || values[until] === true) return false;
  return states[next] === Resolution.value && index + 1 < block.plan.max && !hasUnresolved(iteration);
}

/** B2. The next iteration takes over the arrays of the last one, which nobody reads any more. */
function goOn(run: RunState, block: BlockInstance, iteration: Context, table: LoopTable): Pending | null {
  decideAs(run, iteration, block.slot, CONTINUES);
  const opening = table.opening as Opening;
  const { states, values, index } = iteration;
  const state = values[table.next];
  for (let i = 0; i < opening.states.length; i++) {
    states[i] = opening.states[i] as number;
    values[i] = undefined;
  }
  iteration.closed = true;
  iteration.states = freed;
  iteration.values = freed;
  const opened = new Context(table.scope, states, values, block.owner, null, index + 1);
  opened.block = block;
  block.children[0] = opened;
  values[table.given.local] = state;
  return spreadState(run, opened, opening, state);
}

/** As `spread` would. */
function spreadState(run: RunState, opened: Context, { op, consumers }: Opening, state: unknown): Pending | null {
  let next: Pending | null = null;
  for (let i = 0; i < consumers.length; i++) {
    const consumer = consumers[i] as number;
    if (consumer >> 1 === op) next = tryInvoke(run, opened, op);
    else notify(run, opened, consumer >> 1, (consumer & 1) === 1, Resolution.value, state);
  }
  if (work.size === 0) return next;
  if (next === null) work.closing.push(opened);
  else emit(run, next, Todo.start);
  return null;
}

/** Null: its input fails, in its turn. */
function tryInvoke(run: RunState, context: Context, op: number): Pending | null {
  const input = tryRead(run, context, op);
  if (input === unreadable) {
    work.push(context, ~op);
    return null;
  }
  context.open++;
  return invoke(run, context, op, input);
}
