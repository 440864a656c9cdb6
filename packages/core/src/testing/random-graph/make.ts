/** What each kind of step makes, through the public authoring API. A step that finds nothing to work on makes nothing. */
import { collect, reduce } from "../../build/collectors.ts";
import { each } from "../../build/each.ts";
import type { Settled } from "../../model/ref.ts";
import { text } from "../../build/text.ts";
import { derive, filter, orElse, present } from "../../build/values.ts";
import { makeEphemeral } from "./make-ephemeral.ts";
import { makeFail, makeFallback, makeRace } from "./make-block.ts";
import { makeCall } from "./make-call.ts";
import { makeChoose } from "./make-choose.ts";
import { makePush, makeRead } from "./make-cell.ts";
import { makeLoop } from "./make-loop.ts";
import { makeOp } from "./make-op.ts";
import { makeOnEnd } from "./make-on-end.ts";
import { makeAsk, makeEmit, makeSleep } from "./make-outside.ts";
import { makeSweep, makeZip } from "./make-zip.ts";
import type { CaseParts } from "./case.ts";
import type { Make, Step } from "./spec.ts";
import {
  addFields,
  endsOf,
  innermost,
  joins,
  newRegion,
  Rolls,
  type Known,
  type KnownType,
  type Region,
  type Wiring,
} from "./wiring.ts";

export type Maker = (made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls) => void;

/** The authoring functions without their types: what they are given is drawn at random. */
const loose = { collect, each, derive, filter, orElse, present, reduce, text } as unknown as Readonly<
  Record<string, (...given: unknown[]) => unknown>
>;

const makers: Readonly<Record<Make, Maker>> = {
  op: makeOp,
  each: makeEach,
  collect: makeCollect,
  reduce: makeReduce,
  derive: makeDerive,
  text: makeText,
  orElse: makeOrElse,
  filter: makeFilter,
  present: makePresent,
  push: makePush,
  read: makeRead,
  call: makeCall,
  choose: makeChoose,
  loop: makeLoop,
  race: makeRace,
  fallback: makeFallback,
  fail: makeFail,
  zip: makeZip,
  sweep: makeSweep,
  sleep: makeSleep,
  ask: makeAsk,
  emit: makeEmit,
  onEnd: makeOnEnd,
  ephemeral: makeEphemeral,
};

export function makeStep(made: CaseParts, wiring: Wiring, step: Step): void {
  try {
    makers[step.make](made, wiring, step, new Rolls(step));
  } catch (error) {
    // Of a few graphs with streams that leave blocks the build knows more than the wiring (W2): without that step, then.
    if (!(error instanceof Error && error.message.includes("would block itself"))) throw error;
  }
}

function makeEach(made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const list = wiring.pick(
    rolls.roll(),
    ["list", "rows", "maybe"],
    (known) => known.region.depth < wiring.deepest && (known.type !== "maybe" || (made.mayRace && step.id % 7 === 0)),
  );
  if (list === undefined) return;
  if (list.type === "maybe") made.racy = true;
  const named = !list.plain || rolls.chance(30);
  const known = named ? undefined : wiring.streams.get(list);
  if (known !== undefined) {
    wiring.add(known);
    return;
  }
  const region = newRegion(list.region);
  const item = loose.each!(list.ref, named ? { name: `s${step.id}` } : {});
  const row = list.type === "rows";
  const first = wiring.add({ ref: item, type: row ? "row" : "number", region, ends: list.ends, plain: true });
  made.untouched.add(item);
  if (!named) wiring.streams.set(list, first);
  if (row) addFields(wiring, first, { v: "number", list: "list" });
}

const gathered: readonly KnownType[] = ["number", "maybe", "list", "row", "output", "settled"];

function pickItem(wiring: Wiring, roll: number, types: readonly KnownType[]): Known | undefined {
  return wiring.pick(roll, types, ({ region }) => region.depth > wiring.home.depth);
}

function outside({ ends, region }: Known): { region: Region; ends: Set<Region> } {
  return { region: region.outer as Region, ends: new Set([...ends, region]) };
}

function makeCollect(_made: CaseParts, wiring: Wiring, _step: Step, rolls: Rolls): void {
  const item = pickItem(wiring, rolls.roll(), gathered);
  if (item === undefined) return;
  const errors = (["fail", "skip", "settle"] as const)[rolls.below(3)];
  const ref = loose.collect!(item.ref, errors === "fail" ? {} : { errors });
  const list = errors !== "settle" && (item.type === "number" || item.type === "maybe");
  wiring.add({ ref, type: list ? "list" : "settled", ...outside(item), plain: false });
}

function makeReduce(made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const item = pickItem(wiring, rolls.roll(), ["number", "maybe"]);
  if (item === undefined) return;
  const throws = rolls.chance(15) && made.failing > 0;
  const errors = (["fail", "fail", "skip", "settle", "settle"] as const)[rolls.below(5)];
  const add = (sum: number, n: number | null): number => {
    if (throws && n !== null && n % 11 === 3) throw new RangeError(`reduce ${step.id} cannot take ${n}`);
    return (sum * 31 + (n ?? 7)) % 10_007;
  };
  const fold = errors === "settle" ? (sum: number, item: Settled<number | null>) => add(sum, numberOf(item)) : add;
  if (throws) {
    made.mayFail.add(fold);
    made.failing--;
  }
  const ref = loose.reduce!(`r${step.id}`, item.ref, step.id, fold, errors === "fail" ? {} : { errors });
  wiring.add({ ref, type: "number", ...outside(item), plain: false });
}

/** Of a failed item, something of its error: which of several failures it was shows in the sum. */
function numberOf(item: Settled<number | null>): number | null {
  return item.ok ? item.value : item.error.path.length * 100 + item.error.message.length;
}

/** An edge over several refs. */
function addEdge(wiring: Wiring, from: readonly Known[], ref: unknown, type: KnownType): void {
  wiring.add({ ref, type, region: innermost(from), ends: endsOf(from), plain: false });
}

function makeDerive(made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["number", "maybe", "list"]);
  if (first === undefined) return;
  const from = wiring.pickWith(first, rolls.chance(50) ? [rolls.roll()] : [], ["number", "list"]);
  const throws = rolls.chance(15) && made.failing > 0;
  const toList = rolls.chance(25);
  const fn = (values: unknown): unknown => {
    const sum = JSON.stringify(values).length * 7 + step.id;
    if (throws && sum % 5 === 1) throw new TypeError(`edge ${step.id} cannot take ${sum}`);
    return toList ? [sum, sum + 1, sum + 2].slice(sum % 3) : sum;
  };
  if (throws) {
    made.mayFail.add(fn);
    made.failing--;
  }
  addEdge(
    wiring,
    from,
    loose.derive!(
      from.map(({ ref }) => ref),
      fn,
    ),
    toList ? "list" : "number",
  );
}

function makeText(_made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["number"]);
  if (first === undefined) return;
  const from = wiring.pickWith(first, [rolls.roll()], ["number"]);
  const written = loose.text!(["n ", ...from.map(() => ` ${step.id} `)], ...from.map(({ ref }) => ref));
  const lengthOf = (value: string): number => value.length;
  addEdge(wiring, from, loose.derive!(written, lengthOf), "number");
}

function makeOrElse(_made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const first = wiring.pick(rolls.roll(), ["maybe", "number"]);
  if (first === undefined) return;
  const from = rolls.chance(50) ? wiring.pickWith(first, [rolls.roll()], ["number"]) : [first];
  addEdge(wiring, from, loose.orElse!(first.ref, from[1]?.ref ?? step.id), "number");
}

function makeFilter(_made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const item = pickItem(wiring, rolls.roll(), ["number", "maybe", "list"]);
  if (item === undefined) return;
  const condition = wiring.pick(
    rolls.roll(),
    ["number", "maybe"],
    (known) => known.region.depth <= item.region.depth && joins([item, known]),
  );
  if (condition === undefined) return;
  const keep = loose.derive!(condition.ref, (n: number | null) => ((n ?? 0) + step.id) % 3 !== 0);
  addEdge(wiring, [item, condition], loose.filter!(item.ref, keep), item.type);
}

function makePresent(_made: CaseParts, wiring: Wiring, _step: Step, rolls: Rolls): void {
  const item = pickItem(wiring, rolls.roll(), ["maybe"]);
  if (item !== undefined) addEdge(wiring, [item], loose.present!(item.ref), "number");
}
