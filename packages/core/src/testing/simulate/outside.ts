/** What must hold of sleeps, questions and emissions. */
import { SlotKind, type Plan } from "../../model/plan.ts";
import type { Happening } from "../reference/happening.ts";
import type { StoredJournal } from "./journal.ts";
import type { Life } from "./lives.ts";

/**
 * No sleep ends, and no question gives up, before its time, in whichever life that is; and the time is counted from the
 * moment it began.
 */
export function checkTimes(plan: Plan, { happenings }: StoredJournal, lives: readonly Life[], faults: string[]): void {
  const times = new Map(lives.flatMap((life) => [...life.times]));
  const due = new Map<string, number>();
  happenings.forEach((happening, i) => {
    const now = times.get(i + 1);
    if (!isWait(happening) || now === undefined) return;
    const what = `${happening.slot}@${String(happening.at)}`;
    if (happening.kind === "asked") checkDue(plan, happening, now, faults);
    if (happening.kind === "timerSet" && happening.due < now)
      faults.push(`record ${i + 1}: ${what} was due before it began`);
    if (happening.kind === "asked" || happening.kind === "timerSet") due.set(what, happening.due ?? Infinity);
    else if (endsByTime(plan, happening) && now < (due.get(what) ?? -Infinity))
      faults.push(`record ${i + 1}: ${what} was over at ${now}, and due at ${due.get(what)}`);
  });
}

type Wait = Extract<Happening, { kind: "timerSet" | "fired" | "asked" | "answered" | "attemptFailed" }>;

function isWait(happening: Happening): happening is Wait {
  return ["timerSet", "fired", "asked", "answered", "attemptFailed"].includes(happening.kind);
}

function checkDue(plan: Plan, asked: Extract<Happening, { kind: "asked" }>, now: number, faults: string[]): void {
  const timeout = plan.slots[asked.slot]?.ask?.timeout ?? 0;
  if (asked.due !== null && asked.due !== now + timeout)
    faults.push(`${asked.path} was asked at ${now} until ${asked.due}, and waits ${timeout} ms`);
}

function endsByTime(plan: Plan, happening: Wait): boolean {
  if (happening.kind === "answered") return happening.by === "timeout";
  if (happening.kind === "attemptFailed") return plan.slots[happening.slot]?.kind === SlotKind.ask;
  return happening.kind === "fired";
}

/** Nobody is told of what is not durable; of a run that was followed to its end, everything in its order. */
export function checkEmitted(
  emitted: readonly { path: string; value: unknown }[],
  lives: readonly Life[],
  faults: string[],
): void {
  lives.forEach(({ told, durable }, i) => {
    const early = told?.find(({ seq }) => seq > durable);
    if (early !== undefined) faults.push(`life ${i + 1}: ${early.path} was told of record ${early.seq} of ${durable}`);
  });
  const last = lives.at(-1);
  if (last === undefined || last.told === null) return;
  if (typeof last.end === "string" || last.end.status !== "completed") return;
  const got = last.told.map(({ path, value }) => `${path} ${JSON.stringify(value)}`);
  const due = emitted.map(({ path, value }) => `${path} ${JSON.stringify(value)}`);
  if (got.join("; ") !== due.join("; ")) faults.push(`emitted were ${got.join("; ")}, expected ${due.join("; ")}`);
}
