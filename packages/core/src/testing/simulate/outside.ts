/** What must hold of sleeps, questions and emissions. */
import { depthOf } from "../../journal/record-shape.ts";
import { SlotKind, type Plan, type SlotPlan } from "../../model/plan.ts";
import { pathAt, readNodePath } from "../../state/path.ts";
import type { Happening } from "../reference/happening.ts";
import type { StoredJournal } from "./journal.ts";
import type { Emission, Life } from "./lives.ts";

/**
 * No sleep ends, and no question gives up, before its time, in whichever life that is; and the time is counted from the
 * moment it began.
 */
export function checkTimes(plan: Plan, { happenings }: StoredJournal, lives: readonly Life[], faults: string[]): void {
  // Steps that were lost may have been other ones.
  const times = new Map(
    lives.flatMap(({ times: all, durable }, i) =>
      [...all].filter(([seq]) => seq <= durable && seq > (lives[i - 1]?.durable ?? 0)),
    ),
  );
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
  plan: Plan,
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
  const of = (path: string): string | undefined => generatorOf(plan, path);
  const got = last.told.filter((told) => told.of === undefined && told.reset === undefined).map(asText);
  const due = emitted.filter(({ path }) => of(path) === undefined).map(asText);
  if (got.join("; ") !== due.join("; ")) faults.push(`emitted were ${got.join("; ")}, expected ${due.join("; ")}`);
  for (const [path, list] of standing(last.told)) {
    const all = emitted.filter((one) => of(one.path) === path).map(asText);
    if (list.join("; ") !== all.join("; "))
      faults.push(`H79 of ${path} was told ${list.join("; ")}, expected ${all.join("; ")}`);
  }
}

function asText({ path, value }: { path: string; value: unknown }): string {
  return `${path} ${JSON.stringify(value)}`;
}

/** H79: what a client that applies resets has of each ephemeral generator, as long as it was told anything of it. */
function standing(told: readonly Emission[]): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const event of told) {
    if (event.reset === true) lists.delete(event.path);
    else if (event.of !== undefined) lists.set(event.of, [...(lists.get(event.of) ?? []), asText(event)]);
  }
  return lists;
}

/** The path of the ephemeral generator whose items the node is among. */
function generatorOf(plan: Plan, path: string): string | undefined {
  const place = readNodePath(plan, path);
  if (place === undefined) return undefined;
  const stream = plan.streams[plan.scopes[place.slot.scope]?.ephemeral ?? -1];
  if (stream === undefined) return undefined;
  const source = plan.slots[stream.source] as SlotPlan;
  const at = place.at === 0 ? [] : place.at.slice(0, depthOf(plan, source.scope));
  return pathAt(plan, source.id, at.length === 0 ? 0 : at);
}
