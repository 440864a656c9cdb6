/**
 * Was it right? Everything that must hold of a run, however often it crashed, said from its journal, from the lives it
 * had, and from the reference interpreter fed with the journal's records in their order. Ids are those of the
 * invariants (I1 .. I12) and of the acceptance statements they prove.
 */
import { RecordKind, type ErrorEntry } from "../../events/record.ts";
import type { RunResult } from "../../engine/api.ts";
import { canonical } from "../../journal/codec/codec.ts";
import type { Plan } from "../../model/plan.ts";
import { nodePathsOf, pathOf, type NodePaths } from "./paths.ts";
import type { Happening } from "../reference/happening.ts";
import type { Outcome } from "../reference/world.ts";
import { Reference } from "../reference/interpreter.ts";
import type { StoredJournal } from "./journal.ts";
import type { Life, Settings } from "./lives.ts";
import { checkEmitted, checkTimes } from "./outside.ts";

/** What the interpreter made of a journal. */
export interface Reading {
  readonly reference: Reference;
  /** By record: how many invocations had been dispatched after it. */
  readonly dispatched: readonly number[];
  /** By path: the record whose step swept it. */
  readonly swept: ReadonlyMap<string, number>;
}

/** @throws Illegal */
export function interpret(
  plan: Plan,
  happenings: readonly Happening[],
  fickle: ReadonlySet<unknown> = new Set(),
): Reading {
  const [first] = happenings;
  if (first?.kind !== "started") throw new Error("a journal begins with the start of the run");
  const reference = new Reference(plan, first.errors, fickle);
  const dispatched: number[] = [];
  const swept = new Map<string, number>();
  for (let i = 0; i < happenings.length;) {
    const decisions = behind(happenings, i + 1, "decision");
    const withdrawn = behind(happenings, i + 1 + decisions.length, "withdrawn");
    reference.feed(happenings[i] as Happening, decisions, withdrawn);
    for (const path of reference.swept.slice(swept.size)) swept.set(path, i + 1);
    i += 1 + decisions.length + withdrawn.length;
    while (dispatched.length < i) dispatched.push(reference.dispatched.length);
  }
  return { reference, dispatched, swept };
}

/** What one step chose and withdrew stands behind its record. */
function behind<K extends "decision" | "withdrawn">(
  happenings: readonly Happening[],
  from: number,
  kind: K,
): Extract<Happening, { kind: K }>[] {
  const found: Extract<Happening, { kind: K }>[] = [];
  for (let next = happenings[from]; next?.kind === kind; next = happenings[from + found.length])
    found.push(next as Extract<Happening, { kind: K }>);
  return found;
}

/** What was run. */
interface Subject {
  readonly plan: Plan;
  /** Functions that may say another thing in every life of the run. */
  readonly fickle?: ReadonlySet<unknown>;
}

export function faultsOf(
  { plan, fickle = new Set() }: Subject,
  journal: StoredJournal,
  lives: readonly Life[],
  settings: Settings,
): string[] {
  const faults = lives.flatMap((life, i) => life.faults.map((fault) => `life ${i + 1}, ${fault}`));
  const stuck = lives.findIndex((life) => life.end === "stuck");
  if (stuck >= 0) faults.push(`life ${stuck + 1}: nothing can happen any more and the run has not ended`);
  const reading = tryInterpret(plan, journal.happenings, fickle, faults);
  if (reading === null) return faults;
  if (stuck < 0) checkEnd(reading.reference, journal, lives, faults);
  lives.forEach((life, i) =>
    differ(
      `I12 status of the row after life ${i + 1}`,
      life.status,
      foldedStatus(journal.happenings.slice(0, life.durable)),
      faults,
    ),
  );
  const paths = nodePathsOf(plan, journal.happenings);
  // Their bodies run as often as the generator whose items they are of.
  const recorded = lives.map((life) => ({ ...life, entries: life.entries.filter(({ node }) => !isAside(plan, node)) }));
  recorded.forEach((life, i) => checkBodies(paths, recorded, i, faults, life));
  checkKeys(lives, faults);
  checkUnsafe(plan, journal, lives, faults);
  checkTimes(plan, journal, lives, faults);
  checkLimit(plan, journal, settings, faults);
  checkEmitted(plan, reading.reference.emitted, lives, faults);
  recorded.forEach((life, i) => checkSwept(reading, life, i, faults));
  if (settings.durability === "sync") recorded.forEach((life, i) => checkReleased(reading, life, i, faults));
  else if (settings.durability === "exit") checkWritten(journal, faults);
  else recorded.forEach((life, i) => checkRunAhead(plan, reading, life, i, faults));
  return faults;
}

/** H24: a run with more records than it may have is ended by the next one, wherever it goes on; finalizers still run. */
function checkLimit(plan: Plan, { happenings }: StoredJournal, { maxRecords }: Settings, faults: string[]): void {
  if (maxRecords === undefined) return;
  let counted = 0;
  happenings.forEach((happening, i) => {
    const full = counted >= maxRecords;
    counted += isFree(plan, happening) ? 0 : 1;
    const { kind } = happening;
    if (kind === "stopped" && !full) faults.push(`H24: stopped by record ${i + 1}, with less than ${maxRecords}`);
    else if (full && plan.finalizers.length === 0 && !mayFollow.has(kind))
      faults.push(`H24: record ${i + 1} (${kind}), and the run may have ${maxRecords}`);
  });
}

function isFree({ slots }: Plan, happening: Happening): boolean {
  const { kind } = happening;
  return (
    kind === "snapshot" || ((kind === "frame" || kind === "dropped") && slots[happening.slot]?.op?.transient === true)
  );
}

/** What the last step made, the end, and that somebody took the run over in between. */
const mayFollow: ReadonlySet<string> = new Set(
  "snapshot decision withdrawn dropped stopped ended resumed cancelRequested".split(" "),
);

const asides = new WeakMap<Plan, ReadonlySet<string>>();

/** The node is among the items of an ephemeral generator. */
export function isAside(plan: Plan, node: string): boolean {
  let names = asides.get(plan);
  if (names === undefined) {
    names = new Set(
      plan.slots.filter(({ scope }) => (plan.scopes[scope]?.ephemeral ?? -1) >= 0).map(({ name }) => name),
    );
    asides.set(plan, names);
  }
  return names.has(node);
}

function tryInterpret(
  plan: Plan,
  happenings: readonly Happening[],
  fickle: ReadonlySet<unknown>,
  faults: string[],
): Reading | null {
  try {
    return interpret(plan, happenings, fickle);
  } catch (error) {
    faults.push(
      `the journal is not legal: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
    );
    return null;
  }
}

/** R11, I12: terminal record, run row, cells, and what the engine told (if it lived to) are what the interpreter says. */
function checkEnd(
  reference: Reference,
  { row, happenings }: StoredJournal,
  lives: readonly Life[],
  faults: string[],
): void {
  const last = happenings.at(-1);
  const due = reference.outcome ?? { status: "drained", output: undefined, errors: reference.errors };
  differ("I12 status of the row", row.status, due.status, faults);
  if (last?.kind !== "ended") {
    faults.push(`the journal ends with ${last?.kind}`);
    return;
  }
  differ("status of the record", last.status, due.status, faults);
  differ("errors of the record", unplaced(last.errors), due.errors, faults);
  differ("output of the record", last.output, due.output, faults);
  const life = lives.at(-1);
  if (life === undefined) return;
  if (life.state !== null && life.state.cells !== null) {
    differ(
      "cells",
      life.state.cells.map((cell) => cell.read()),
      reference.cells,
      faults,
    );
  }
  // One that was put aside may have gone on after its handle had said so.
  if (typeof life.end !== "string" && life.end.status !== "interrupted") checkTold(life.end, due, faults);
}

/** Where a body threw, and because of what, is in its error; the interpreter runs no bodies. */
function unplaced(errors: readonly ErrorEntry[]): ErrorEntry[] {
  return errors.map(({ at: _at, causes: _causes, ...error }) => error);
}

function checkTold(
  told: RunResult<unknown>,
  due: Pick<Outcome, "output" | "errors"> & { status: string },
  faults: string[],
): void {
  differ("status told", told.status, due.status, faults);
  differ("errors told", unplaced(told.errors), due.errors, faults);
  if (told.status === "completed") differ("output told", told.output, due.output, faults);
}

/** What the journal alone says. */
function foldedStatus(happenings: readonly Happening[]): string {
  const last = happenings.at(-1);
  return last?.kind === "ended" ? last.status : "running";
}

export function differ(what: string, got: unknown, due: unknown, faults: string[]): void {
  if (!isSame(got, due)) faults.push(`${what}: got ${canonical(got)}, expected ${canonical(due)}`);
}

/** Of plain data. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (
    typeof a !== "object" ||
    typeof b !== "object" ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

/** I4, H46, P3.1: what is over at a crash never begins again, and nothing begins twice in one life. */
function checkBodies(paths: NodePaths, lives: readonly Life[], at: number, faults: string[], life: Life): void {
  const before = at === 0 ? 0 : (lives[at - 1] as Life).durable;
  const seen = new Set<string>();
  for (const { path, attempt, session } of life.entries) {
    const key = `${path} attempt ${attempt}`;
    if (seen.has(`${key} ${session}`)) faults.push(`life ${at + 1}: ${key} began twice`);
    seen.add(`${key} ${session}`);
    const over = paths.overAt(path, attempt);
    if (over !== undefined && over <= before)
      faults.push(`I4 life ${at + 1}: ${key} began again, and record ${over} says that it was over`);
  }
}

/** R12: the key of an invocation is the same in every attempt and life, and nobody else has it. */
function checkKeys(lives: readonly Life[], faults: string[]): void {
  const paths = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const { path, key } of lives.flatMap((life) => life.entries)) {
    if (key === undefined) continue;
    if ((keys.get(path) ?? key) !== key || (paths.get(key) ?? path) !== path)
      faults.push(`R12: ${path} has the key ${key}, which is not its own`);
    keys.set(path, key);
    paths.set(key, path);
  }
}

/**
 * An unsafe body begins once for each durable record that it will, and of these there is one per attempt and one more each
 * time that the outside said so: the interpreter refuses others.
 */
function checkUnsafe(plan: Plan, { happenings }: StoredJournal, lives: readonly Life[], faults: string[]): void {
  const unsafe = new Set(plan.slots.filter((slot) => slot.op?.effect === "unsafe").map((slot) => slot.name));
  if (unsafe.size === 0) return;
  const begun = new Map<string, number>();
  for (const { entries, durable } of lives) {
    for (const { path, node, attempt } of entries) {
      if (!unsafe.has(node)) continue;
      const key = `${path} attempt ${attempt}`;
      begun.set(key, (begun.get(key) ?? 0) + 1);
      const recorded = startsOf(plan, happenings.slice(0, durable), key);
      if ((begun.get(key) as number) > recorded)
        faults.push(`I4: the unsafe ${key} began ${begun.get(key)} times, and ${recorded} starts of it are durable`);
    }
  }
}

function startsOf(plan: Plan, happenings: readonly Happening[], key: string): number {
  return happenings.filter(
    (happening) =>
      happening.kind === "unsafeStart" && `${pathOf(plan, happening)} attempt ${happening.attempt}` === key,
  ).length;
}

/** Rules 6 and 7: what was swept does not begin any more. Steps that were not durable may have been other ones. */
function checkSwept({ swept }: Reading, life: Life, at: number, faults: string[]): void {
  for (const { path, after } of life.entries) {
    const record = swept.get(path);
    if (after !== null && record !== undefined && record <= life.durable && after >= record)
      faults.push(`life ${at + 1}: ${path} began after record ${record} had swept it`);
  }
}

/** P3.8a: a body begins only when the record that caused it is durable. */
function checkReleased({ reference, dispatched }: Reading, life: Life, at: number, faults: string[]): void {
  const released = new Set(reference.dispatched.slice(0, dispatched[life.durable - 1]));
  for (const { path } of life.entries) {
    if (!released.has(path)) faults.push(`P3.8a life ${at + 1}: ${path} began, and nothing durable says that it may`);
  }
}

/** The same under async durability, for all but pure ops. */
function checkRunAhead(plan: Plan, reading: Reading, life: Life, at: number, faults: string[]): void {
  const pure = new Set(plan.slots.filter((slot) => slot.op?.effect === "pure").map((slot) => slot.name));
  checkReleased(reading, { ...life, entries: life.entries.filter(({ node }) => !pure.has(node)) }, at, faults);
}

/** P3.8c: but for its start, rows are written when it comes to rest or its end, is taken up, or an answer is promised. */
function checkWritten({ rows }: StoredJournal, faults: string[]): void {
  const firstQuestion = rows.findIndex((records) => records.some(([kind]) => kind === RecordKind.asked));
  rows.slice(1).forEach((records, i) => {
    const isCalledFor =
      records.at(-1)?.[0] === RecordKind.ended ||
      records[0]?.[0] === RecordKind.resumed ||
      records.some(([kind]) => kind === RecordKind.snapshot) ||
      // Its record is durable before somebody may answer it.
      (firstQuestion >= 0 && i + 1 >= firstQuestion);
    if (!isCalledFor) faults.push(`P3.8c: row ${i + 2} was written, and nothing called for it`);
  });
}

/** Of order-free graphs: what two runs must have in common. */
export function comparable(errors: readonly ErrorEntry[]): unknown {
  return errors
    .map(({ node, count, handled }) => ({ node, count, handled }))
    .toSorted((a, b) => (a.node < b.node ? -1 : 1));
}
