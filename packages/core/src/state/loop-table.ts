import { openingOf, type Opening } from "./sequel.ts";
import type { Tables } from "./tables.ts";
import { SlotKind, type Plan, type ScopePlan, type SlotPlan } from "../model/plan.ts";

/** What every iteration of a loop asks its plan, at hand. */
export interface LoopTable {
  readonly scope: ScopePlan;
  /** The slot that holds the state an iteration begins with. */
  readonly given: SlotPlan;
  /** Local indices of the slots that say what comes of an iteration. */
  readonly until: number;
  readonly next: number;
  readonly result: number;
  /** Its slots wait for each other and for the state alone: the state's resolution is all there is to an opening. */
  readonly simple: boolean;
  readonly opening: Opening | null;
}

/** Null: not a loop. */
export function loopTableOf(plan: Plan, tables: Tables, { block, kind }: SlotPlan): LoopTable | null {
  if (block === null || kind !== SlotKind.loop) return null;
  const scope = plan.scopes[block.scopes[0] as number] as ScopePlan;
  const [until = 0, next = 0, result = 0] = block.results.map((id) => (plan.slots[id] as SlotPlan).local);
  const given = plan.slots[scope.slots[0] as number] as SlotPlan;
  const simple = scope.outer.length === 0 && scope.ready.length === 0;
  return { scope, given, until, next, result, simple, opening: openingOf(plan, tables, scope, given) };
}
