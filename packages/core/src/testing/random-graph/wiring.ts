/**
 * One body of a random graph while it runs: what has been made so far, and what may be read with what.
 *
 * W1  The refs read by one call live on one chain of regions.
 * W2  Nothing made per item of a stream depends on that stream's end, be it because another stream whose end it waits
 *     for has items that do: it would block. Streams that pass items on to each other count as one for this.
 */
import type { Cell } from "../../model/reducer.ts";
import type { Step } from "./spec.ts";

/** Where a ref lives: the run, or the items of a stream. One object per stream. */
export interface Region {
  readonly outer: Region | null;
  readonly depth: number;
  /** Streams whose end its items wait for. */
  readonly needs: Set<Region>;
  /** Streams that its items go to or come from: each holds up the other. */
  readonly linked: Set<Region>;
}

export function newRegion(outer: Region | null): Region {
  return { outer, depth: outer === null ? 0 : outer.depth + 1, needs: new Set(), linked: new Set() };
}

export type KnownType = "number" | "maybe" | "list" | "rows" | "row" | "output" | "settled" | "nothing";

/** A ref with what the wiring needs to know of it. */
export interface Known {
  readonly ref: unknown;
  readonly type: KnownType;
  readonly region: Region;
  /** Streams whose end it depends on. */
  readonly ends: ReadonlySet<Region>;
  /** A plain field of an input or an op: `each` needs no name for it. */
  readonly plain: boolean;
}

export interface Pushed {
  readonly cell: Cell<unknown, unknown>;
  readonly kind: string;
  readonly known: Known;
}

export const maxDepth = 3;

export type Manners = Pick<Wiring, "risky" | "unsafe" | "block">;
const plain: Manners = { risky: false, unsafe: false, block: false };

export class Wiring {
  /** Where the body runs, and how deep its streams may nest. */
  readonly home: Region;
  readonly deepest: number;
  /** What everything in the body waits for. */
  readonly after: readonly Known[];
  /** Ops fail more often here, or may be unsafe: it is the body of a fallback. */
  readonly risky: boolean;
  readonly unsafe: boolean;
  /** The body of a block. */
  readonly block: boolean;
  readonly known: Known[] = [];
  readonly pushed: Pushed[] = [];
  /** Cells of this body, by kind. */
  readonly cells: Map<string, Cell<unknown, unknown>> = new Map();
  /** Unnamed streams, by the list they are of. */
  readonly streams: Map<Known, Known> = new Map();

  constructor(home: Region, deepest: number, after: readonly Known[], { risky, unsafe, block }: Manners = plain) {
    this.home = home;
    this.deepest = deepest;
    this.after = after;
    this.risky = risky;
    this.unsafe = unsafe;
    this.block = block;
  }

  add(known: Known): Known {
    this.known.push(known);
    for (let at: Region | null = known.region; at !== null; at = at.outer)
      for (const end of known.ends) at.needs.add(end);
    return known;
  }

  pick(roll: number, types: readonly KnownType[], where: (known: Known) => boolean = () => true): Known | undefined {
    const fitting = this.known.filter((known) => types.includes(known.type) && where(known));
    return fitting[fitting.length - 1 - recent(roll, fitting.length)];
  }

  /** `first` and others that may be read with it, none deeper than `deepest`: one per roll, as far as there are any. */
  pickWith(first: Known, rolls: readonly number[], types: readonly KnownType[], deepest: number = maxDepth): Known[] {
    const picked = [first];
    for (const roll of rolls) {
      const next = this.pick(
        roll,
        types,
        (other) => other.region.depth <= deepest && !picked.includes(other) && joins([...picked, other]),
      );
      if (next !== undefined) picked.push(next);
    }
    return picked;
  }
}

/** 0 .. n-1, small ones more often: what was made last is used most, so that graphs grow long. */
function recent(roll: number, n: number): number {
  return Math.floor(n * ((roll % 1000) / 1000) ** 1.6);
}

/** Rolls the dice of one step, in order. */
export class Rolls {
  readonly #step: Step;
  #next = 0;

  constructor(step: Step) {
    this.#step = step;
  }

  roll(): number {
    return this.#step.dice[this.#next++] ?? 0;
  }

  below(n: number): number {
    return this.roll() % n;
  }

  /** False for a roll of 0, so that cutting a case down makes it plainer. */
  chance(percent: number): boolean {
    const roll = this.roll() % 100;
    return roll > 0 && roll <= percent;
  }
}

export function isWithin(region: Region, outer: Region): boolean {
  return region === outer || (region.outer !== null && isWithin(region.outer, outer));
}

/** W1, W2 */
export function joins(known: readonly Known[]): boolean {
  const inner = innermost(known);
  return known.every(({ region }) => isWithin(inner, region)) && !blocks(inner, endsOf(known));
}

/** W2: would something in `region` that needs these ends block a stream around it? */
export function blocks(region: Region, ends: ReadonlySet<Region>): boolean {
  const reached = behind(ends);
  for (let at: Region | null = region; at !== null; at = at.outer) if (reached.has(at)) return true;
  return false;
}

/** All streams whose end must come for these to end. */
function behind(ends: Iterable<Region>): Set<Region> {
  const reached = new Set(ends);
  for (const end of reached) for (const next of [...end.needs, ...end.linked]) reached.add(next);
  return reached;
}

/** The items of these streams go into one another. */
export function link(regions: readonly Region[]): void {
  for (const region of regions) for (const other of regions) if (other !== region) region.linked.add(other);
}

/** W2: may the streams that these items are of wait for each other's items? */
export function mayMeet(a: Known, b: Known): boolean {
  if (a.region === b.region || a.region.outer !== b.region.outer) return false;
  if (behind([a.region]).has(b.region) || behind([b.region]).has(a.region)) return false;
  const reached = behind([...a.ends, ...b.ends, ...a.region.needs, ...b.region.needs]);
  return !reached.has(a.region) && !reached.has(b.region);
}

export function innermost(known: readonly Known[]): Region {
  return known.reduce((a, b) => (b.region.depth > a.region.depth ? b : a), known[0] as Known).region;
}

export function endsOf(known: readonly Known[]): Set<Region> {
  return new Set(known.flatMap(({ ends }) => [...ends]));
}

/** The streams that end before `after` is satisfied, seen from `region`. */
export function endsSeenFrom(after: Known, region: Region): Set<Region> {
  const ends = new Set(after.ends);
  for (let at = after.region; !isWithin(region, at) && at.outer !== null; at = at.outer) ends.add(at);
  return ends;
}

/** The fields of a record as refs of their own. */
export function addFields(wiring: Wiring, record: Known, fields: Readonly<Record<string, KnownType>>): void {
  for (const [key, type] of Object.entries(fields)) {
    wiring.add({ ...record, ref: (record.ref as Record<string, unknown>)[key], type });
  }
}
