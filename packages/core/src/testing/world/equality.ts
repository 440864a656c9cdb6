/** I5: what an interrupted run has in common with one that was not, and of which graphs that can be said. */
import { reach } from "../../build/reach.ts";
import { SlotKind, type CellPlan, type Plan } from "../../model/plan.ts";
import { comparable, differ } from "../simulate/verdict.ts";
import type { StoredJournal } from "../simulate/journal.ts";

type Kind = SlotKind;

/** Kinds of nodes that decide by what came first. */
const racing: ReadonlyMap<Kind, string> = new Map<Kind, string>([
  [SlotKind.race, "a race"],
  [SlotKind.sweep, "a sweep"],
  [SlotKind.bounded, "a time limit of a call"],
]);

/**
 * What of a plan can show the order of events in the outcome of a run, as far as the plan says; null: nothing. Failures are
 * not in the plan: of two, the first decides what others are told.
 */
export function showsOrder(plan: Plan, errors: "record" | "raise"): string | null {
  if (errors === "raise") return 'errors: "raise"';
  const slot = plan.slots.map(orderOfSlot).find((why) => why !== null);
  if (slot !== undefined) return slot;
  if (plan.streams.some(({ onFull }) => onFull === "dropOldest")) return 'onFull: "dropOldest"';
  const cell = plan.cells.findIndex((_, i) => cellShowsOrder(plan, i));
  return cell < 0 ? null : `the cell ${plan.cells[cell]?.name}`;
}

function orderOfSlot({ kind, name, policies, ask, op }: Plan["slots"][number]): string | null {
  const raced = racing.get(kind);
  if (raced !== undefined) return `${raced} (${name})`;
  // It may tell which of two calls came back first.
  if (op?.converse !== undefined) return `the workflow ${op.name}`;
  if (ask !== null && ask.timeout > 0) return `the time limit of ${name}`;
  if (policies === null) return null;
  const { runTimeout, idleTimeout, totalTimeout, onFailure } = policies;
  if (runTimeout > 0 || idleTimeout > 0 || totalTimeout > 0) return `the time limit of ${name}`;
  return onFailure === "raise" ? `onFailure: "raise" of ${name}` : null;
}

/** It folds differently in another order, or is read before everything is folded. */
function cellShowsOrder(plan: Plan, cell: number): boolean {
  const pushes = plan.slots.filter((slot) => slot.kind === SlotKind.push && slot.cell === cell);
  const reads = plan.slots.filter((slot) => slot.kind === SlotKind.read && slot.cell === cell);
  const isOnce = pushes.length <= 1 && pushes.every(({ scope }) => scope === 0);
  if (!isOnce && !takesAnyOrder(plan.cells[cell] as CellPlan)) return true;
  return reads.some((read) => {
    const before = reach(plan, [read.id]);
    return pushes.some((push) => !before.has(push.id));
  });
}

const samples: readonly (readonly [number, number])[] = [
  [3, 5],
  [-2, 7],
  [11, 2],
];

/** A sorted list does; of other reducers only one that folds numbers, and that is tried. */
function takesAnyOrder({ initial, reduce, view, grow }: CellPlan): boolean {
  if (view !== null) return true;
  if (grow !== null || (typeof initial !== "number" && initial !== undefined)) return false;
  try {
    return samples.every(([a, b]) => Object.is(reduce(reduce(initial, a), b), reduce(reduce(initial, b), a)));
  } catch {
    return false;
  }
}

/** Nobody who had to compare would know which is right: a body that was at work at too many crashes in a row has failed. */
export function isCrashLoop({ happenings }: StoredJournal): boolean {
  return happenings.some((one) => one.kind === "attemptFailed" && one.error.code === "CrashLoop");
}

/**
 * Of an order-free graph. True: there was something to compare. Where the uninterrupted run has failures, which of them
 * others are told of may be a matter of order, and only a graph that is known to show none is compared.
 */
export function checkEqual(
  whole: StoredJournal,
  interrupted: StoredJournal,
  surely: boolean,
  faults: string[],
): boolean {
  const due = whole.happenings.at(-1);
  const got = interrupted.happenings.at(-1);
  if (due?.kind !== "ended" || got?.kind !== "ended" || isCrashLoop(interrupted)) return false;
  if (due.errors.length > 0 && !surely) return false;
  // A crash costs records: a journal may be full with them, and not without.
  if ([whole, interrupted].some(({ happenings }) => happenings.some(({ kind }) => kind === "stopped"))) return false;
  // An edge that throws inside of a body of a fallback races with its ops.
  if ([...due.errors, ...got.errors].some(({ code, handled }) => code === "EdgeFailed" && handled)) return false;
  differ("I5: status, compared with an uninterrupted run", got.status, due.status, faults);
  differ("I5: errors, compared with an uninterrupted run", comparable(got.errors), comparable(due.errors), faults);
  differ("I5: output, compared with an uninterrupted run", got.output, due.output, faults);
  return true;
}
