import { final } from "../../build/final.ts";
import { op } from "../../build/op.ts";
import type { CallOptions, Op, OpOptions } from "../../model/op.ts";
import type { Finishing } from "../../model/ref.ts";
import type { Scope } from "../../model/scope.ts";
import {
  asyncBody,
  asyncGeneratorBody,
  generatorBody,
  inlineBody,
  type Body,
  type Manner,
  type Theatre,
} from "./bodies.ts";
import type { CaseParts } from "./case.ts";
import type { Step } from "./spec.ts";
import {
  addFields,
  blocks,
  endsOf,
  endsSeenFrom,
  innermost,
  newRegion,
  type Rolls,
  type Known,
  type KnownType,
  type Region,
  type Wiring,
} from "./wiring.ts";

const kinds = ["async", "async", "async", "inline", "inline", "asyncGenerator", "generator"] as const;
type Kind = (typeof kinds)[number];

const bodies: Readonly<Record<Kind, (theatre: Theatre, manner: Manner) => Body>> = {
  async: asyncBody,
  inline: inlineBody,
  generator: generatorBody,
  asyncGenerator: asyncGeneratorBody,
};

type AnyOp = Op<unknown, unknown>;
const looseOp = op as unknown as (name: string, options: OpOptions, body: Body) => AnyOp;
const fields: Readonly<Record<string, KnownType>> = { v: "number", list: "list", maybe: "maybe", rows: "rows" };

export function makeOp(made: CaseParts, wiring: Wiring, step: Step, rolls: Rolls): void {
  const kind = kinds[rolls.below(kinds.length)] as Kind;
  const stream = kind === "generator" || kind === "asyncGenerator";
  const first = wiring.pick(
    rolls.roll(),
    ["number", "maybe", "list", "settled", "output"],
    ({ region }) => !stream || region.depth < wiring.deepest,
  );
  if (first === undefined) return;
  const more = Array.from({ length: rolls.below(3) }, () => rolls.roll());
  const inputs = wiring.pickWith(
    first,
    more,
    ["number", "maybe", "list", "settled"],
    stream ? wiring.deepest - 1 : wiring.deepest,
  );
  const region = innermost(inputs);
  const after = wiring.pick(
    rolls.roll(),
    ["number", "output", "settled", "nothing"],
    (known) => !blocks(region, endsSeenFrom(known, region)),
  );
  const waitsFor = after !== undefined && rolls.chance(30) ? after : undefined;
  const options = callOptions(made, region, rolls, waitsFor);
  const call = opOf(made, step, kind, rolls, {
    often: region.depth > 0 || wiring.risky,
    unsafe: rolls.chance(oddsOfUnsafe(made, wiring)),
  }) as unknown as (input: unknown, options: unknown) => unknown;
  const ref = call(inputRecord(inputs), options);
  const ends = endsOf(inputs);
  if (waitsFor !== undefined) for (const end of endsSeenFrom(waitsFor, region)) ends.add(end);
  const inner = stream ? newRegion(region) : region;
  addFields(wiring, wiring.add({ ref, type: "output", region: inner, ends, plain: true }), fields);
  if (!stream) return;
  made.untouched.add((ref as { readonly v: unknown }).v);
  addFinalAtTimes(wiring, ref, region, new Set([...ends, inner]), rolls);
}

function addFinalAtTimes(wiring: Wiring, ref: unknown, region: Region, ends: Set<Region>, rolls: Rolls): void {
  if (rolls.chance(30)) addFinal(wiring, ref, region, ends);
}

/** What the generator returns: one value beside its items. */
function addFinal(wiring: Wiring, gen: unknown, region: Region, ends: ReadonlySet<Region>): void {
  const ref = final(gen as Finishing<unknown, Scope>);
  addFields(wiring, wiring.add({ ref, type: "output", region, ends, plain: false }), fields);
}

function inputRecord(inputs: readonly Known[]): Record<string, unknown> {
  return Object.fromEntries(inputs.map(({ ref }, i) => [String.fromCharCode(97 + i), ref]));
}

/** Options of a call in `region`. */
export function callOptions(
  made: CaseParts,
  region: Region,
  rolls: Rolls,
  after: Known | undefined,
  forGraph = false,
): CallOptions<Scope> {
  const options: Record<string, unknown> = after === undefined ? {} : { after: [after.ref] };
  const parallel = rolls.chance(45) ? 1 + rolls.below(4) : undefined;
  const buffer = rolls.chance(30) ? 1 + rolls.below(3) : undefined;
  const ordered = rolls.chance(25);
  const drops = rolls.chance(15);
  if (region.depth === 0) return options;
  if (parallel !== undefined) options["parallel"] = parallel;
  if (buffer !== undefined) options["buffer"] = buffer;
  if (forGraph) return options;
  if (ordered) options["ordered"] = true;
  if (drops && made.mayRace) {
    options["onFull"] = "dropOldest";
    made.racy = true;
  }
  return options;
}

/** Fails often; may be unsafe. */
interface Temper {
  readonly often: boolean;
  readonly unsafe: boolean;
}

function opOf(made: CaseParts, step: Step, kind: Kind, rolls: Rolls, { often, unsafe }: Temper): AnyOp {
  const known = made.ops.get(step);
  if (known !== undefined) return known;
  const manner = mannerOf(made, rolls, often);
  const name = `${kind === "inline" ? "i" : kind === "async" ? "a" : "g"}${step.id}`;
  const options = opOptions(made, kind, manner, rolls, unsafe && made.racing === 0);
  const definition = looseOp(name, options, bodies[kind](made.theatre, manner));
  made.ops.set(step, definition);
  const tries = (options.retry as { attempts: number } | undefined)?.attempts ?? 1;
  if (manner.fails > 0 || manner.transient >= tries) made.mayFail.add(name);
  if (manner.lacks) made.lacking.add(name);
  return definition;
}

/** What runs per item, or in the body of a fallback, fails more often: a failure there need not be the end of everything. */
function mannerOf(made: CaseParts, rolls: Rolls, often: boolean): Manner {
  const fails = rolls.chance(often ? 60 : 12) && made.failing > 0 ? 1 + rolls.below(6) : 0;
  if (fails > 0) made.failing--;
  return {
    fails,
    transient: rolls.chance(15) ? 1 + rolls.below(2) : 0,
    waits: 1 + (rolls.chance(20) ? 1 : 0),
    lacks: rolls.chance(5) && made.failing > 0,
  };
}

function opOptions(made: CaseParts, kind: Kind, manner: Manner, rolls: Rolls, unsafe: boolean): OpOptions {
  const options: Record<string, unknown> = {};
  if (unsafe && !made.safe) {
    // After a crash it is asked about, and what is answered is a matter of mood.
    options["effect"] = "unsafe";
    made.racy = true;
  } else if (rolls.chance(50)) options["effect"] = "pure";
  if (manner.transient > 0 || rolls.chance(10)) options["retry"] = { attempts: 2 + rolls.below(2), initial: 20 };
  if (made.mayRace && kind !== "inline" && rolls.chance(10)) {
    options["timeout"] = [{ run: 60 }, { idle: 30, run: 200 }, { total: 90 }][rolls.below(3)];
    made.racy = true;
  }
  if (kind.endsWith("enerator")) addStreamOptions(made, options, rolls);
  if (made.mayRace && rolls.chance(4)) {
    options["onFailure"] = "raise";
    made.racy = true;
  }
  return options;
}

function addStreamOptions(made: CaseParts, options: Record<string, unknown>, rolls: Rolls): void {
  if (rolls.chance(15)) options["transient"] = true;
  if (rolls.chance(30)) options["onResume"] = rolls.chance(80) ? "cursor" : onResumeOf(made);
}

/** Of a hundred. */
function oddsOfUnsafe({ mayRace }: CaseParts, { unsafe }: Wiring): number {
  if (unsafe) return 55;
  return mayRace ? 15 : 0;
}

/** That it fails when it is cut off shows where the crash was. */
function onResumeOf(made: CaseParts): "cursor" | "fail" {
  if (!made.mayRace) return "cursor";
  made.racy = true;
  return "fail";
}
