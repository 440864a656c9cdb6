/** Which reads of cells saw which pushes, from a journal: order decides that, and the plan does not know it. */
import type { At } from "../../events/record.ts";
import type { Plan, SlotPlan } from "../../model/plan.ts";
import { SlotKind } from "../../model/plan.ts";
import type { Backend, RunRow } from "../../ports/backend.ts";
import type { RunState } from "../../state/run-state.ts";
import { relive } from "../relive.ts";
import type { Region } from "./regions.ts";

export interface CellUse {
  readonly slot: number;
  readonly at: At;
}

/** In the order in which they happened; nothing is replayed when the plan has no cell that is both pushed to and read. */
export async function cellUses(backend: Backend, row: RunRow, plan: Plan, until: number): Promise<readonly CellUse[]> {
  const uses = (kind: SlotKind): boolean => plan.slots.some((slot) => slot.kind === kind);
  if (!uses(SlotKind.push) || !uses(SlotKind.read)) return [];
  let run: RunState | null = null;
  const rows = relive(backend, row, plan, { from: 1, until }, (state) => {
    state.trail = [];
    run = state;
    return null;
  });
  for await (const _ of rows);
  return (run as RunState | null)?.trail ?? [];
}

/** Asked for the reads that a push in a region comes before; each is given once. */
export class CellReads {
  readonly #plan: Plan;
  readonly #uses: readonly CellUse[];
  /** By cell: the use from which on its reads were given. */
  readonly #given: Map<number, number> = new Map();

  constructor(plan: Plan, uses: readonly CellUse[]) {
    this.#plan = plan;
    this.#uses = uses;
  }

  after(push: SlotPlan, { at, beyond }: Region): CellUse[] {
    const from = this.#uses.findIndex((use) => use.slot === push.id && isIn(use.at, at, beyond));
    const given = this.#given.get(push.cell) ?? this.#uses.length;
    if (from < 0 || from >= given) return [];
    this.#given.set(push.cell, from);
    return this.#uses.slice(from, given).filter(({ slot }) => {
      const { kind, cell } = this.#plan.slots[slot] as SlotPlan;
      return kind === SlotKind.read && cell === push.cell;
    });
  }
}

function isIn(use: At, at: readonly number[], beyond: number): boolean {
  const indices = use === 0 ? [] : use;
  if (at.some((index, i) => indices[i] !== index)) return false;
  return beyond < 0 || (indices[at.length] as number) > beyond;
}
