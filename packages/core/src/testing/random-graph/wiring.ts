/**
 * One body of a random graph while it runs: what has been made so far, and what may be read with what.
 *
 * W1  The refs read by one call live on one chain of regions.
 * W2  Nothing made per item of a stream depends on that stream's end: the build refuses it.
 */
import type { Cell } from "../../model/reducer.ts";
import type { Step } from "./spec.ts";

/** Where a ref lives: the run, or the items of a stream. One object per stream. */
export interface Region {
  readonly outer: Region | null;
  readonly depth: number;
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

export class Wiring {
  readonly home: Region;
  readonly known: Known[];
  readonly pushed: Pushed[] = [];
  /** Unnamed streams, by the list they are of. */
  readonly streams: Map<Known, Known> = new Map();

  constructor(home: Region, known: readonly Known[]) {
    this.home = home;
    this.known = [...known];
  }

  add(known: Known): Known {
    this.known.push(known);
    return known;
  }

  pick(roll: number, types: readonly KnownType[], where: (known: Known) => boolean = () => true): Known | undefined {
    const fitting = this.known.filter((known) => types.includes(known.type) && where(known));
    return fitting[roll % Math.max(1, fitting.length)];
  }

  /** `first` and up to `more` others that may be read with it. */
  pickWith(first: Known, more: readonly number[], types: readonly KnownType[]): Known[] {
    const picked = [first];
    for (const roll of more) {
      const next = this.pick(roll, types, (other) => !picked.includes(other) && joins([...picked, other]));
      if (next !== undefined) picked.push(next);
    }
    return picked;
  }
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
  return ends.has(region) || (region.outer !== null && blocks(region.outer, ends));
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
