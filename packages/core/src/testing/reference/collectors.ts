/** Rule 3: collect, reduce and end over one stream, in yield order, once it ended and every item is through. */
import { SlotKind, type CollectPlan, type SlotPlan } from "../../model/plan.ts";
import { beginWork, endWork, failureOf, fail, resolve, skip } from "./consequences.ts";
import { recordThrown } from "./failures.ts";
import { feedEnded } from "./passages.ts";
import { touch } from "./paths.ts";
import { sendOn } from "./send-on.ts";
import { at, Illegal, type Failure, type Place, type Resolved, type Stream, type World } from "./world.ts";

/** The watched slot of one item resolved. */
export function gather(world: World, item: Place, collector: SlotPlan, how: Resolved): void {
  const stream = item.stream as Stream;
  const key = at(stream.owner, collector.id);
  if (world.resolved.has(key)) return;
  const gathered = world.gathered.get(key) ?? new Map<number, Resolved>();
  if (gathered.has(item.index)) throw new Illegal(`item ${item.index} left something twice for slot ${collector.id}`);
  world.gathered.set(key, gathered.set(item.index, how));
  if (collector.kind === SlotKind.feed) sendOn(world, item, collector, how);
  if (collector.kind === SlotKind.reduce) foldNext(world, stream, collector, item);
  fireIfDone(world, stream, collector);
}

export function fireIfDone(world: World, stream: Stream, collector: SlotPlan): void {
  const gathered = gatheredBy(world, stream, collector);
  if (!stream.ended || gathered.size < stream.items) return;
  if (collector.kind === SlotKind.collect) fireCollect(world, stream, collector);
  else if (collector.kind === SlotKind.reduce) fireReduce(world, stream, collector);
  else if (collector.kind === SlotKind.feed) feedEnded(world, stream, collector);
  else if (stream.failure === null) resolve(world, stream.owner, collector, { as: "value", value: undefined });
  else skip(world, stream.owner, collector, stream.failure);
}

export function collectorsOf(world: World, stream: number): SlotPlan[] {
  return world.plan.slots.filter((slot) => slot.collect?.stream === stream);
}

function gatheredBy(world: World, stream: Stream, collector: SlotPlan): ReadonlyMap<number, Resolved> {
  return world.gathered.get(at(stream.owner, collector.id)) ?? new Map<number, Resolved>();
}

function inYieldOrder(world: World, stream: Stream, collector: SlotPlan): Resolved[] {
  return [...gatheredBy(world, stream, collector)].toSorted(([a], [b]) => a - b).map(([, how]) => how);
}

function errorsOf(collector: SlotPlan): CollectPlan["errors"] {
  return (collector.collect as CollectPlan).errors;
}

function fireCollect(world: World, stream: Stream, collector: SlotPlan): void {
  const errors = errorsOf(collector);
  const items = inYieldOrder(world, stream, collector);
  const failures = items.map(failureOf).filter((failure) => failure !== null);
  const failure = errors === "fail" ? (failures[0] ?? stream.failure) : errors === "skip" ? stream.failure : null;
  if (failure !== null) {
    skip(world, stream.owner, collector, failure);
    return;
  }
  const value = errors === "settle" ? items.flatMap(settled).concat(rejected(stream.failure)) : items.flatMap(valueOf);
  resolve(world, stream.owner, collector, { as: "value", value });
}

/** An untaken block is `undefined` to whoever reads it. */
function valueOf(how: Resolved): unknown[] {
  if (how.as === "untaken") return [undefined];
  return how.as === "value" ? [how.value] : [];
}

function settled(how: Resolved): unknown[] {
  const [value] = valueOf(how);
  return how.as === "value" || how.as === "untaken" ? [{ ok: true, value }] : rejected(failureOf(how));
}

function rejected(failure: Failure | null): unknown[] {
  return failure === null ? [] : [{ ok: false, error: failure.error }];
}

interface Fold {
  readonly value: unknown;
  readonly failure: Failure | null;
  readonly thrown: { readonly index: number; readonly error: unknown; readonly item: unknown } | null;
}

/** Folds the items without gap from the first, up to the first failure; a stream that failed may be the last of them. */
function fold(world: World, stream: Stream, collector: SlotPlan): Fold {
  const { initial, errors } = collector.collect as CollectPlan;
  const gathered = gatheredBy(world, stream, collector);
  const items: unknown[][] = [];
  for (let index = 0; gathered.has(index); index++) {
    const how = gathered.get(index) as Resolved;
    const failure = failureOf(how);
    if (failure !== null && errors === "fail") return { ...foldAll(collector, initial, items), failure };
    items.push(errors === "settle" ? settled(how) : valueOf(how));
  }
  const isWhole = stream.ended && gathered.size === stream.items;
  if (isWhole && errors === "settle") items.push(rejected(stream.failure));
  return { ...foldAll(collector, initial, items), failure: null };
}

function foldAll(collector: SlotPlan, initial: unknown, items: readonly unknown[][]): Pick<Fold, "value" | "thrown"> {
  let value = initial;
  for (const [index, left] of items.entries()) {
    for (const item of left) {
      try {
        value = (collector.fn as (accumulator: unknown, item: unknown) => unknown)(value, item);
      } catch (error) {
        return { value, thrown: { index, error, item } };
      }
    }
  }
  return { value, thrown: null };
}

/**
 * An item that is through before an earlier one waits for its turn and stays open meanwhile, if it left something to
 * fold and the fold has not failed.
 */
function foldNext(world: World, stream: Stream, collector: SlotPlan, item: Place): void {
  noteThrow(world, stream, collector);
  const gathered = gatheredBy(world, stream, collector);
  const { failure, thrown } = fold(world, stream, collector);
  const isOver = failure !== null || thrown !== null;
  let next = 0;
  while (gathered.has(next)) next++;
  const waits = foldWork(collector);
  for (const place of stream.open)
    if (place.work.has(waits) && (isOver || place.index < next)) endWork(world, place, waits);
  const isThere = !item.closed && !item.swept;
  if (isOver || item.index < next || !isThere || !leavesSomething(collector, gathered.get(item.index))) return;
  beginWork(item, waits);
  touch(item);
}

function leavesSomething(collector: SlotPlan, how: Resolved | undefined): boolean {
  if (how === undefined) return false;
  if (failureOf(how) !== null) return errorsOf(collector) !== "skip";
  return how.as === "value" || how.as === "untaken";
}

function foldWork(collector: SlotPlan): string {
  return `turn in ${collector.id}`;
}

/** A throw of the author's function is a failure as soon as it is certain: all earlier items are in. */
function noteThrow(world: World, stream: Stream, collector: SlotPlan): void {
  const key = at(stream.owner, collector.id);
  const { thrown } = fold(world, stream, collector);
  if (thrown === null || world.thrown.has(key)) return;
  world.thrown.set(key, recordThrown(world, stream.owner, collector, "ReduceFailed", thrown.error, thrown.item));
}

function fireReduce(world: World, stream: Stream, collector: SlotPlan): void {
  noteThrow(world, stream, collector);
  const own = world.thrown.get(at(stream.owner, collector.id));
  const { value, failure } = fold(world, stream, collector);
  const cause = failure ?? (errorsOf(collector) === "settle" ? null : stream.failure);
  if (own !== undefined) fail(world, stream.owner, collector, own);
  else if (cause !== null) skip(world, stream.owner, collector, cause);
  else resolve(world, stream.owner, collector, { as: "value", value });
}
