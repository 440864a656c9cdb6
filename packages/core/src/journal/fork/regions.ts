/** Parts of a run: for each slot, in which contexts. */
import type { At } from "../../events/record.ts";

/**
 * The contexts whose indices begin with `at`; with `beyond` at least 0 only those whose next index is greater: the
 * iterations that come after that one.
 */
export interface Region {
  readonly at: readonly number[];
  readonly beyond: number;
}

export const everywhere: Region = { at: [], beyond: -1 };

export function regionAt(at: At): Region {
  return { at: at === 0 ? [] : at, beyond: -1 };
}

/** The contexts with `depth` indices that have something of the region in them, or are in it. */
export function widen(region: Region, depth: number): Region {
  return depth <= region.at.length ? { at: region.at.slice(0, depth), beyond: -1 } : region;
}

/** By slot. A region that is in another one already is not kept. */
export class Regions {
  /** By slot, and by the first indices: beyond which next index; -1: all. */
  readonly #bySlot: Map<number, Map<string, number>> = new Map();

  /** False: it was in there. */
  add(slot: number, { at, beyond }: Region): boolean {
    if (this.#covers(slot, at, beyond)) return false;
    let regions = this.#bySlot.get(slot);
    if (regions === undefined) this.#bySlot.set(slot, (regions = new Map()));
    regions.set(String(at), beyond);
    return true;
  }

  has(slot: number, at: At): boolean {
    return this.#covers(slot, at === 0 ? [] : at, -1);
  }

  #covers(slot: number, at: readonly number[], beyond: number): boolean {
    const regions = this.#bySlot.get(slot);
    if (regions === undefined) return false;
    for (let depth = 0; depth <= at.length; depth++) {
      const from = regions.get(String(at.slice(0, depth)));
      if (from === undefined) continue;
      const next = depth < at.length ? (at[depth] as number) : beyond < 0 ? -1 : beyond + 1;
      if (from < 0 || next > from) return true;
    }
    return false;
  }
}
