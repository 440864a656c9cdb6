/**
 * Which records of its origin a fork keeps.
 *
 * L1  What was begun and not finished begins anew: questions are asked again, and the clocks of calls and attempts start
 *     again. When a sleep is over, and which attempts failed, stays as it was.
 * L2  What was asked of the run as a whole (cancel, drain), its ends and its rests are not kept.
 * L3  The choice of a race is made again, by the kept records in their order; other choices are kept.
 */
import { RecordKind, type At } from "../../events/record.ts";
import { SlotKind, type BlockPlan, type Plan, type SlotPlan } from "../../model/plan.ts";
import { Kept } from "../../state/kept.ts";
import { revive } from "../codec/codec.ts";
import type { RawRecord } from "../rows.ts";
import { talkKey, type Cut } from "./conversations.ts";
import type { Regions } from "./regions.ts";
import type { Source, SourceRecord } from "./source.ts";

/** What the caller gives in place of the output of an op. */
export interface GivenOutput {
  readonly slot: SlotPlan;
  readonly at: At;
  /** Encoded: the one output, or the items of a stream. */
  readonly values: readonly unknown[];
  /** Of a stream: what its generator returns, encoded; absent: nothing. */
  readonly returned?: unknown;
}

export interface Differences {
  /** What something different comes before. */
  readonly reached: Regions;
  readonly cuts: ReadonlyMap<string, Cut>;
  readonly outputs: readonly GivenOutput[];
  /** What is to run again. */
  readonly rerun: readonly { readonly slot: SlotPlan; readonly at: At }[];
}

export function selectKept(plan: Plan, source: Source, differences: Differences): Kept {
  const { reached, outputs, rerun } = differences;
  const kept = new Kept();
  const records = ownRecords(source);
  const finished = new Set(records.filter(({ record }) => isLast(record)).map(keyOf));
  const again = new Set(rerun.map(({ slot, at }) => placeKey(slot.id, at)));
  const given = new Map(outputs.map((output) => [placeKey(output.slot.id, output.at), output]));
  const placed = new Set<string>();
  const isBehind = behindCuts(differences);
  for (const record of records) {
    const key = keyOf(record);
    const output = given.get(key);
    if (output !== undefined && !placed.has(key)) give(kept, output, record.seq);
    if (output !== undefined) placed.add(key);
    else if (!again.has(key) && !isBehind(record)) keep(kept, plan, record, finished.has(key), reached);
  }
  let last = source.seq * 2 + 1;
  for (const [key, output] of given) if (!placed.has(key)) give(kept, output, ++last);
  return kept;
}

/** Of the body of a workflow: calls that it made when it had been told of something different, and what it came to. */
function behindCuts({ cuts }: Differences): (record: SourceRecord) => boolean {
  const made = new Map<string, number>();
  return ({ record }) => {
    const key = talkKey(record[1] as number, record[2] as At);
    const cut = cuts.get(key);
    if (cut === undefined) return false;
    const calls = made.get(key) ?? 0;
    if (record[0] === RecordKind.frame) made.set(key, calls + 1);
    return record[0] === RecordKind.frame ? calls >= cut.from : isEnd(record);
  };
}

export function placeKey(slot: number, at: At): string {
  return `${slot} ${String(at)}`;
}

function keyOf({ record: [, slot, at] }: SourceRecord): string {
  return placeKey(slot as number, at as At);
}

/** No more comes of the invocation. */
function isLast(record: RawRecord): boolean {
  return isEnd(record) || record[0] === RecordKind.withdrawn;
}

/** The invocation came to something: a value, an answer, its time, or a failure that is final. */
export function isEnd(record: RawRecord): boolean {
  const kind = record[0] as RecordKind;
  return ends.has(kind) || (kind === RecordKind.attemptFailed && record[4] === null);
}

const ends: ReadonlySet<RecordKind> = new Set<RecordKind>([
  RecordKind.output,
  RecordKind.eof,
  RecordKind.settled,
  RecordKind.brokenOff,
  RecordKind.answered,
  RecordKind.fired,
]);

/** With what the origin, as a fork itself, had kept and not come to: behind everything that it did. */
function ownRecords({ records, seq }: Source): SourceRecord[] {
  const own = records.filter(({ record: [kind] }) => kind !== RecordKind.kept && kind !== RecordKind.cellSet);
  const notes = records.filter(({ record: [kind] }) => kind === RecordKind.kept);
  const [first] = notes;
  if (first === undefined) return own;
  const done = new Map<string, number>();
  const countKey = (note: SourceRecord): string => `${String(note.record[0])} ${keyOf(note)}`;
  // What stands before the notes was taken before they were made.
  for (const record of own)
    if (record.seq > first.seq) done.set(countKey(record), (done.get(countKey(record)) ?? 0) + 1);
  const left: SourceRecord[] = [];
  for (const { record, revive: read } of notes) {
    const note = { seq: seq + 1 + left.length, record: record.slice(1), revive: read };
    const taken = done.get(countKey(note)) ?? 0;
    if (taken > 0) done.set(countKey(note), taken - 1);
    else left.push(note);
  }
  return [...own, ...left];
}

function keep(
  kept: Kept,
  plan: Plan,
  { seq, record, revive: read }: SourceRecord,
  finished: boolean,
  reached: Regions,
): void {
  const [kind, slot, at, ...rest] = record as [RecordKind, number, At, ...unknown[]];
  const node = plan.slots[slot] as SlotPlan;
  if (kind === RecordKind.decision) {
    const decider = deciderOf(node);
    if (decider >= 0 && !reached.has(decider, at)) kept.addChoice(slot, at, rest[0] as number);
  } else if (isKept(kind, node, finished) && !reached.has(slot, at)) {
    kept.add({ seq, kind, slot, at, rest, revive: read });
  }
}

/** L3: the slot whose value the choice was made by; -1: it is made again. */
function deciderOf({ id, kind, block }: SlotPlan): number {
  if (kind === SlotKind.race) return -1;
  return kind === SlotKind.loop ? ((block as BlockPlan).results[0] as number) : id;
}

/** L1 */
function isKept(kind: RecordKind, node: SlotPlan, finished: boolean): boolean {
  if (kind === RecordKind.timerSet && node.kind === SlotKind.sleep) return true;
  return startsAnew.has(kind) ? finished : kind !== RecordKind.withdrawn;
}

const startsAnew: ReadonlySet<RecordKind> = new Set<RecordKind>([
  RecordKind.timerSet,
  RecordKind.asked,
  RecordKind.deadlineSet,
]);

function give(kept: Kept, { slot: { id, stream }, at, values, returned }: GivenOutput, seq: number): void {
  const answer = { seq, slot: id, at, revive, given: true } as const;
  if (stream < 0) {
    kept.add({ ...answer, kind: RecordKind.output, rest: values });
    return;
  }
  for (const value of values) kept.add({ ...answer, kind: RecordKind.frame, rest: [value] });
  kept.add({ ...answer, kind: RecordKind.eof, rest: returned === undefined ? [] : [returned] });
}
