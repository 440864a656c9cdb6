/** The bodies of random blocks: closures that see what is around them and leave a record. */
import { infoOf } from "../../build/ref.ts";
import { itemScopeOf } from "../../build/scopes.ts";
import type { CaseParts } from "./case.ts";
import { readLocalCells } from "./make-cell.ts";
import { makeNested } from "./make-nested.ts";
import type { Step } from "./spec.ts";
import {
  blocks,
  endsOf,
  isWithin,
  link,
  newRegion,
  Wiring,
  type Known,
  type KnownType,
  type Manners,
  type Region,
  type Rolls,
} from "./wiring.ts";

/** What a body returned, by key, and all that was made in it. */
export interface Made {
  readonly returned: ReadonlyMap<string, Known>;
  /** An item of a stream that leaves the body. */
  readonly leaving: Known | undefined;
  /** It returned no `first`. */
  readonly bare?: boolean;
  readonly own: readonly Known[];
  readonly wiring: Wiring;
}

/** Everything that is read in the body of a block lives there as if it had been made there: per item of `home`. */
function openBody({ around, home, manners = {}, ownCells = false }: BodyRequest): Wiring {
  const { risky, unsafe } = around;
  const inner = new Wiring(home, around.deepest, [], { risky, unsafe, ...manners, block: true });
  for (const known of around.known) {
    if (isWithin(home, known.region) && !blocks(home, known.ends)) inner.known.push({ ...known, region: home });
  }
  if (!ownCells) for (const [kind, cell] of around.cells) inner.cells.set(kind, cell);
  return inner;
}

export interface BodyRequest {
  readonly around: Wiring;
  readonly home: Region;
  readonly steps: readonly Step[];
  /** What the block gives the body. */
  readonly given?: readonly Known[];
  readonly manners?: Partial<Manners>;
  readonly rolls: Rolls;
  /** A stream may leave it: of the depth that other bodies of the block let out. */
  readonly leaves?: Leaving;
  /** It pushes into no cell of the body around. */
  readonly ownCells?: boolean;
}

const returnable: Readonly<Record<string, KnownType>> = { n: "number", m: "maybe", l: "list" };

export function makeBody(parts: CaseParts, request: BodyRequest): Made {
  const { around, home, steps, given = [], rolls } = request;
  const wiring = openBody(request);
  for (const known of given) wiring.add(known);
  const seen = wiring.known.length - given.length;
  const { leaves } = request;
  if (leaves !== undefined && leaves.levels !== 1 && parts.mayRace && rolls.chance(35))
    makeNested(parts, wiring, rolls);
  parts.run(parts, wiring, steps);
  readLocalCells(parts, wiring, around.cells);
  const returned = new Map<string, Known>();
  for (const [key, type] of Object.entries(returnable)) {
    const known = wiring.pick(rolls.roll(), [type], ({ region }) => region === home);
    if (known !== undefined && (key === "n" || rolls.chance(40))) returned.set(key, known);
  }
  const leaving = leaves === undefined ? undefined : pickLeaving(parts, wiring, { rolls, leaves });
  return { returned, leaving, own: wiring.known.slice(seen), wiring };
}

/**
 * Of a block per item the build refuses a stream that is made of nothing of the item: its type would be of one stream. Of a
 * stream of streams, that is asked of the outermost, `levels` further out than the value.
 */
export function tellsItsItem(
  ref: unknown,
  { home, levels }: { readonly home: Region; readonly levels: number },
): boolean {
  const info = infoOf(ref);
  if (info?.template.type !== "source") return false;
  const { builder } = info.frame;
  let source = info.template.source.slot;
  for (let level = 0; level < levels; level++) {
    const { stream } = builder.scopes[itemScopeOf(builder, builder.slots[source]!.scope)]!;
    if (stream < 0) return false;
    source = builder.streams[stream]!.source;
  }
  let told = 0;
  for (let at = builder.scopes[builder.typed[source]!]; at !== undefined; at = builder.scopes[at.parent])
    if (at.stream >= 0) told++;
  return told >= home.depth;
}

/** How deep the stream is that leaves a block: the first body that lets one out says it for all. */
export interface Leaving {
  levels: number | null;
}

/** Items leave in the order they arrive: only those that nothing was done with arrive in one order always. */
function pickLeaving(
  parts: CaseParts,
  wiring: Wiring,
  { rolls, leaves }: { readonly rolls: Rolls; readonly leaves: Leaving },
): Known | undefined {
  if (!rolls.chance(50)) return undefined;
  const { home } = wiring;
  const roll = rolls.roll();
  const nested = leaves.levels === null && parts.mayRace && rolls.chance(60);
  const pick = (least: number): Known | undefined =>
    wiring.pick(roll, ["number"], ({ region, ref }) => {
      const levels = region.depth - home.depth;
      return (
        levels >= least &&
        (leaves.levels === null ? least > 1 || levels === 1 : levels === leaves.levels) &&
        isWithin(region, home) &&
        tellsItsItem(ref, { home, levels }) &&
        (parts.mayRace || (levels === 1 && parts.untouched.has(ref) && !wiring.risky))
      );
    });
  const leaving = (nested ? pick(2) : undefined) ?? pick(1);
  if (leaving === undefined) return undefined;
  leaves.levels = leaving.region.depth - home.depth;
  // In the body of a fallback it matters whether an item was out when something failed.
  if (wiring.risky || leaves.levels > 1 || !parts.untouched.has(leaving.ref)) parts.racy = true;
  return leaving;
}

export function recordOf({ returned, leaving }: Made): Record<string, unknown> {
  const record = Object.fromEntries([...returned].map(([key, { ref }]) => [key, ref]));
  return leaving === undefined ? record : { ...record, s: leaving.ref };
}

/**
 * The block as the body around sees it: its fields, itself, and the pushes that are through when it is. With a stream among
 * the fields it is no one value: `first` stands for it then.
 */
export function addBlock(
  around: Wiring,
  ref: unknown,
  home: Region,
  bodies: readonly Made[],
  fields: ReadonlyMap<string, KnownType>,
  from: readonly Known[],
): void {
  const ends = endsOf([
    ...from,
    ...around.after,
    ...bodies.flatMap(({ own, returned }) => [...own, ...returned.values()]),
  ]);
  const left = bodies.flatMap(({ leaving }) => leaving ?? []);
  const leaves = left.length > 0 ? leaveBlock(around, ref, home, left, ends) : undefined;
  const record = ref as Record<string, unknown>;
  const whole: Known =
    leaves === undefined
      ? { ref, type: "output", region: home, ends, plain: false }
      : {
          ref: firstOf(record, bodies, from),
          type: "maybe",
          region: home,
          ends: new Set([...ends, leaves]),
          plain: false,
        };
  for (const { wiring } of bodies) {
    for (const { kind, cell } of wiring.pushed)
      if (around.cells.get(kind) === cell) around.pushed.push({ kind, cell, known: whole });
  }
  around.add(whole);
  for (const [key, type] of fields) around.add({ ...whole, ref: record[key], type });
}

function firstOf(record: Record<string, unknown>, bodies: readonly Made[], from: readonly Known[]): unknown {
  return bodies.every(({ bare }) => bare === true) ? from[0]?.ref : record["first"];
}

/** Its items, outside; the block is through only when they all went out. The outermost of the streams is given back. */
function leaveBlock(
  around: Wiring,
  ref: unknown,
  home: Region,
  left: readonly Known[],
  ends: ReadonlySet<Region>,
): Region {
  const outside = regionsOutside(left, home);
  const [outermost] = outside as [Region];
  around.add({
    ref: (ref as { readonly s: unknown }).s,
    type: "number",
    region: outside.at(-1) ?? outermost,
    ends,
    plain: false,
  });
  return outermost;
}

/** For a stream that leaves a block at `home`, and those in its items, outermost first. `left`: what leaves, by body. */
export function regionsOutside(left: readonly Known[], home: Region): Region[] {
  const inside = left.map(({ region }) => regionsWithin(region, home));
  const outside: Region[] = [];
  for (const level of inside[0]?.keys() ?? []) {
    const region = newRegion(outside.at(-1) ?? home);
    outside.push(region);
    for (const regions of inside) link([region, regions[level] as Region]);
  }
  return outside;
}

/** From `region` out to the home of the body, outermost first. */
function regionsWithin(region: Region, home: Region): Region[] {
  return region === home || region.outer === null ? [] : [...regionsWithin(region.outer, home), region];
}

/** What every body returns has its type; what only some do may be undefined. */
export function fieldsOf(bodies: readonly Made[], always: boolean): Map<string, KnownType> {
  const fields = new Map<string, KnownType>();
  for (const [key, type] of Object.entries(returnable)) {
    const count = bodies.filter(({ returned }) => returned.has(key)).length;
    if (count === bodies.length && always) fields.set(key, type);
    else if (count > 0 && type !== "list") fields.set(key, "maybe");
  }
  return fields;
}
