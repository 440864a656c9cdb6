/**
 * A random ephemeral generator with all that is done with its items: pure ops in lanes, edges, nested streams, choices and
 * emissions. Only what is made of them in the end is there for other steps: others may be anything.
 */
import { when } from "../../build/blocks/choose.ts";
import { collect, reduce } from "../../build/collectors.ts";
import { each } from "../../build/each.ts";
import { final } from "../../build/final.ts";
import { op } from "../../build/op.ts";
import { emit } from "../../build/outside.ts";
import { derive, filter } from "../../build/values.ts";
import type { OpOptions } from "../../model/op.ts";
import type { Finishing, Settled } from "../../model/ref.ts";
import type { Scope } from "../../model/scope.ts";
import { asyncBody, ephemeralBody, inlineBody, type Body } from "./bodies.ts";
import type { CaseParts } from "./case.ts";
import { callOptions } from "./make-op.ts";
import type { Step } from "./spec.ts";
import { addFields, joins, newRegion, type Known, type Region, type Rolls, type Wiring } from "./wiring.ts";

type Loose = (...given: unknown[]) => unknown;
const loose = { collect, derive, each, emit, filter, op, reduce, when } as unknown as Readonly<Record<string, Loose>>;

/** What is at hand per item. */
interface Items {
  readonly parts: CaseParts;
  readonly wiring: Wiring;
  readonly step: Step;
  readonly rolls: Rolls;
  readonly region: Region;
  /** Numbers per item; the first is the generator's own. */
  readonly numbers: unknown[];
  readonly lists: unknown[];
  next: number;
}

export function makeEphemeral(parts: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  if (!parts.ephemeral) return;
  const first = wiring.pick(rolls.roll(), ["number", "maybe", "list"], ({ region }) => region.depth < wiring.deepest);
  if (first === undefined) return;
  const { region, ends } = first;
  const options = { ...callOptions(parts, region, rolls, undefined), name: `z${step.id}` };
  const gen = (generator(parts, step, rolls) as Loose)({ a: first.ref }, options) as Record<string, unknown>;
  const inner = newRegion(region);
  waitFor(inner, ends);
  const items: Items = {
    parts,
    wiring,
    step,
    rolls,
    region: inner,
    numbers: [gen["v"]],
    lists: [gen["list"]],
    next: 0,
  };
  const outer = outerNumber(items, first);
  if (outer !== undefined) addOp(items, { a: gen["v"], b: outer });
  const more = 1 + rolls.below(4);
  for (let i = 0; i < more; i++) addStep(items);
  for (let i = 0; i <= rolls.below(3); i++) addCollector(items, first);
  if (rolls.chance(40))
    addFields(
      wiring,
      wiring.add({
        ref: final(gen as unknown as Finishing<unknown, Scope>),
        type: "output",
        region,
        ends,
        plain: false,
      }),
      { v: "number" },
    );
}

function generator(parts: CaseParts, step: Step, rolls: Rolls): unknown {
  const known = parts.ops.get(step);
  if (known !== undefined) return known;
  const fails = rolls.chance(20) && parts.failing > 0 ? 2 + rolls.below(5) : 0;
  const transient = rolls.chance(45) ? 1 + rolls.below(2) : 0;
  if (fails > 0) parts.failing--;
  const manner = { fails, transient, waits: 1, lacks: false, breaksAt: rolls.below(4) };
  const options = generatorOptions(parts, rolls, transient > 0);
  const name = `z${step.id}`;
  if (fails > 0 || transient >= (options.retry?.attempts ?? 1)) parts.mayFail.add(name);
  const made = loose.op!(name, options, ephemeralBody(parts.theatre, manner, rolls.chance(30)));
  parts.ops.set(step, made as never);
  return made;
}

interface GeneratorOptions {
  readonly onResume: "ephemeral";
  effect?: "pure";
  retry?: { readonly attempts: number; readonly initial: number };
  timeout?: unknown;
}

function generatorOptions(parts: CaseParts, rolls: Rolls, fails: boolean): GeneratorOptions {
  const options: GeneratorOptions = { onResume: "ephemeral" };
  if (rolls.chance(50)) options.effect = "pure";
  if (fails || rolls.chance(20)) options.retry = { attempts: 2 + rolls.below(2), initial: 20 };
  if (parts.mayRace && rolls.chance(8)) {
    options.timeout = [{ run: 60 }, { idle: 30 }, { total: 90 }][rolls.below(3)];
    parts.racy = true;
  }
  return options;
}

/** Something further out that every item waits for. */
function outerNumber({ wiring, rolls, region }: Items, first: Known): unknown {
  const roll = rolls.roll();
  if (!rolls.chance(30)) return undefined;
  const item: Known = { ref: null, type: "number", region, ends: first.ends, plain: true };
  const found = wiring.pick(roll, ["number"], (known) => known.region.depth < region.depth && joins([item, known]));
  if (found !== undefined) waitFor(region, found.ends);
  return found?.ref;
}

/** W2, as for what the wiring knows of. */
function waitFor(region: Region, ends: ReadonlySet<Region>): void {
  for (let at: Region | null = region; at !== null; at = at.outer) for (const end of ends) at.needs.add(end);
}

const steps: readonly ((items: Items) => void)[] = [
  (items) => addOp(items, { a: some(items, items.numbers) }),
  (items) => addOp(items, { a: some(items, items.numbers), b: some(items, items.numbers) }),
  addDerived,
  addFiltered,
  addEmitted,
  addNested,
  addChoice,
];

function addStep(items: Items): void {
  (steps[items.rolls.below(steps.length)] as (items: Items) => void)(items);
}

function some({ rolls }: Items, list: readonly unknown[]): unknown {
  return list[list.length - 1 - rolls.below(list.length)];
}

function nameOf(items: Items, mark: string): string {
  return `${mark}${items.step.id}_${items.next++}`;
}

/** A pure op, in a lane of its own. */
function addOp(items: Items, input: Record<string, unknown>): void {
  const { parts, rolls } = items;
  const name = nameOf(items, "u");
  const { onFull: _onFull, ...options } = callOptions(parts, items.region, rolls, undefined) as Record<string, unknown>;
  const made = (pureOp(parts, name, rolls) as Loose)(input, options) as Record<string, unknown>;
  items.numbers.push(made["v"]);
  items.lists.push(made["list"]);
}

function pureOp(parts: CaseParts, name: string, rolls: Rolls): unknown {
  const fails = rolls.chance(25) && parts.failing > 0 ? 1 + rolls.below(4) : 0;
  if (fails > 0) {
    parts.failing--;
    parts.mayFail.add(name);
  }
  const transient = rolls.chance(15) ? 1 : 0;
  const options: OpOptions = {
    effect: "pure",
    ...(transient > 0 && { retry: { attempts: 2, initial: 20 } }),
  };
  const make: (theatre: CaseParts["theatre"], manner: Parameters<typeof asyncBody>[1]) => Body = rolls.chance(60)
    ? asyncBody
    : inlineBody;
  return loose.op!(name, options, make(parts.theatre, { fails, transient, waits: 1, lacks: false }));
}

function addDerived(items: Items): void {
  const { parts, rolls, step } = items;
  const throws = rolls.chance(15) && parts.failing > 0;
  const fn = (n: number): number => {
    if (throws && n % 5 === 1) throw new TypeError(`item edge ${step.id} cannot take ${n}`);
    return (n * 7 + step.id) % 1_009;
  };
  if (throws) {
    parts.failing--;
    parts.mayFail.add(fn);
  }
  items.numbers.push(loose.derive!(some(items, items.numbers), fn));
}

function addFiltered(items: Items): void {
  const value = some(items, items.numbers);
  const { id } = items.step;
  items.numbers.push(
    loose.filter!(
      value,
      loose.derive!(value, (n: number) => (n + id) % 3 !== 0),
    ),
  );
}

function addEmitted(items: Items): void {
  const ordered = items.rolls.chance(40);
  loose.emit!(nameOf(items, "e"), some(items, items.numbers), ordered ? { ordered } : {});
}

/** A stream in each item, and what was made of it. */
function addNested(items: Items): void {
  const { region, wiring, rolls } = items;
  if (region.depth >= wiring.deepest) return;
  const inner = loose.each!(some(items, items.lists), { name: nameOf(items, "n") });
  const made = (pureOp(items.parts, nameOf(items, "u"), rolls) as Loose)({ a: inner }) as Record<string, unknown>;
  items.lists.push(loose.collect!(made["v"], rolls.chance(50) ? { errors: "skip" } : {}));
}

function addChoice(items: Items): void {
  const value = some(items, items.numbers);
  const { id } = items.step;
  const condition = loose.derive!(value, (n: number) => (n + id) % 2 === 0);
  const chosen = loose.when!(
    nameOf(items, "w"),
    condition,
    () => ({
      n: (pureOp(items.parts, nameOf(items, "u"), items.rolls) as Loose)({ a: value }) as Record<string, unknown>,
    }),
    () => ({ n: { v: value } }),
  ) as { n: { v: unknown } };
  items.numbers.push(chosen.n.v);
}

/** What is kept: it is there for the steps that follow. */
function addCollector(items: Items, { region, ends }: Known): void {
  const { wiring, rolls, step, parts } = items;
  const from = some(items, items.numbers);
  const errors = (["fail", "skip", "settle"] as const)[rolls.below(3)] as "fail" | "skip" | "settle";
  const option = errors === "fail" ? {} : { errors };
  const outside = { region, ends: new Set([...ends, items.region]), plain: false } as const;
  if (rolls.chance(50)) {
    const ref = loose.collect!(from, option);
    wiring.add({ ref, type: errors === "settle" ? "settled" : "list", ...outside });
    return;
  }
  const throws = rolls.chance(15) && parts.failing > 0;
  const add = (sum: number, n: number): number => {
    if (throws && n % 11 === 3) throw new RangeError(`fold ${step.id} cannot take ${n}`);
    return (sum * 31 + n) % 10_007;
  };
  const fold = errors === "settle" ? (sum: number, item: Settled<number>) => add(sum, item.ok ? item.value : 5) : add;
  if (throws) {
    parts.failing--;
    parts.mayFail.add(fold);
  }
  wiring.add({ ref: loose.reduce!(nameOf(items, "r"), from, step.id, fold, option), type: "number", ...outside });
}
