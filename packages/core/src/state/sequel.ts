import type { Plan, ScopePlan, SlotPlan } from "../model/plan.ts";
import { Resolution } from "./resolution.ts";
import { Flag, type Tables } from "./tables.ts";

/** What comes of an op's value, where the plan says that it is one thing. */
export interface Sequel {
  /** The op that takes it and is its only consumer; -1: the consumers are edges of an iteration that nobody waits for. */
  readonly op: number;
  /** Of an iteration: those edges, each `slot * 2 + (after ? 1 : 0)`. */
  readonly edges: readonly number[];
}

/** Ops that are not dispatched at once, or of whose resolution others than consumers hear. */
const special: number = Flag.lane | Flag.generator | Flag.unsafe | Flag.watched;

/** By slot id; null: more, or something else. */
export function sequelsOf(plan: Plan, tables: Tables): (Sequel | null)[] {
  return plan.slots.map((slot) => (isPlain(tables, slot.id) ? sequelOf(plan, tables, slot) : null));
}

function isPlain({ flags }: Tables, id: number): boolean {
  const flag = flags[id] as number;
  return (flag & Flag.op) !== 0 && (flag & special) === 0;
}

function sequelOf({ scopes }: Plan, tables: Tables, { id, scope }: SlotPlan): Sequel | null {
  const edges = tables.consumers.slice(tables.starts[id], tables.starts[id + 1]);
  const [first = -1] = edges;
  if (edges.length === 1 && isPlain(tables, first >> 1)) return { op: first >> 1, edges: [] };
  const { kind } = scopes[scope] as ScopePlan;
  const quiet = edges.every((edge) => isQuiet(tables, edge >> 1));
  return kind === "iteration" && quiet ? { op: -1, edges } : null;
}

/** What a loop's state reaches: one op, which needs nothing else, and edges that nobody waits for. */
export interface Opening {
  readonly op: number;
  /** In plan order, each `slot * 2 + (after ? 1 : 0)`. */
  readonly consumers: readonly number[];
  /** Of an iteration whose state is there and whose op is ready. */
  readonly states: readonly number[];
}

/** Null: more, or something else, or the iteration waits for more than its state. */
export function openingOf(plan: Plan, tables: Tables, scope: ScopePlan, given: SlotPlan): Opening | null {
  if (scope.outer.length > 0 || scope.ready.length > 0 || given.watchers.length > 0) return null;
  const consumers = tables.consumers.slice(tables.starts[given.id], tables.starts[given.id + 1]);
  const [op, ...more] = consumers
    .filter((consumer) => !isQuiet(tables, consumer >> 1))
    .map((consumer) => consumer >> 1);
  if (op === undefined || more.length > 0 || !isPlain(tables, op)) return null;
  const { local } = plan.slots[op] as SlotPlan;
  if (scope.missing[local] !== 1) return null;
  const states = Array.from(scope.missing);
  states[given.local] = Resolution.value;
  states[local] = 0;
  return { op, consumers, states };
}

function isQuiet({ flags }: Tables, id: number): boolean {
  return ((flags[id] as number) & Flag.quiet) !== 0;
}
