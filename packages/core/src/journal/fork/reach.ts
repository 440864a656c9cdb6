/**
 * What is reachable in a run from what a fork makes different: by data, `after`, cells and decisions.
 *
 * Q1  A slot is reached where something that it reads or waits for is: in the same contexts, in all contexts further in,
 *     and in the context around when it takes what items and blocks leave.
 * Q2  Where a block or the maker of a stream is reached by what it was given, everything in it is: it may decide or make
 *     something else. What one of its contexts leaves reaches its result, and not what else is in it.
 * Q3  A state that a loop goes on with reaches the later iterations, never the earlier ones.
 * Q4  A push reaches the reads that came after it.
 * Q5  What a call of a workflow comes to reaches the calls that its body made after it was told of that, and no others.
 */
import {
  SlotKind,
  type BlockPlan,
  type Plan,
  type ScopePlan,
  type SlotPlan,
  type StreamPlan,
} from "../../model/plan.ts";
import type { NodePlace } from "../../state/path.ts";
import { CellReads, type CellUse } from "./cell-uses.ts";
import type { Cut, Talks } from "./conversations.ts";
import { edgesOf, type Edges } from "./edges.ts";
import { everywhere, regionAt, Regions, widen, type Region } from "./regions.ts";

export interface Reached {
  readonly reached: Regions;
  /** By `talkKey`. */
  readonly cuts: ReadonlyMap<string, Cut>;
}

/** The places themselves are not among what is reached from them. */
export function reachedFrom(plan: Plan, places: readonly NodePlace[], uses: readonly CellUse[], talks: Talks): Reached {
  const walk = new Walk(plan, uses);
  for (const { slot, at } of places) walk.spread(slot, regionAt(at));
  // They come after everything.
  if (places.length > 0) for (const id of plan.finalizers) walk.open(id, everywhere);
  walk.finish();
  return { reached: walk.reached, cuts: walk.cutAll(talks) };
}

function shownOf(cuts: ReadonlyMap<string, Cut>): string {
  return Array.from(cuts, ([key, { from }]) => `${key}:${from}`).join();
}

class Walk {
  readonly reached: Regions = new Regions();
  readonly #plan: Plan;
  readonly #edges: Edges;
  readonly #reads: CellReads;
  /** Blocks that were given something else. */
  readonly #opened: Regions = new Regions();
  readonly #left: (readonly [SlotPlan, Region])[] = [];

  constructor(plan: Plan, uses: readonly CellUse[]) {
    this.#plan = plan;
    this.#edges = edgesOf(plan);
    this.#reads = new CellReads(plan, uses);
  }

  finish(): void {
    for (let next = this.#left.pop(); next !== undefined; next = this.#left.pop()) this.spread(...next);
  }

  /** Q5: what is behind one cut may be what the body of another workflow is told. */
  cutAll(talks: Talks): ReadonlyMap<string, Cut> {
    let cuts = talks.cuts(this.reached);
    for (let before = ""; before !== shownOf(cuts); cuts = talks.cuts(this.reached)) {
      before = shownOf(cuts);
      for (const cut of cuts.values()) this.#cut(cut);
      this.finish();
    }
    return cuts;
  }

  #cut({ body, at, from }: Cut): void {
    const indices = at === 0 ? [] : at;
    this.#enter((this.#plan.streams[body.stream] as StreamPlan).itemScope, { at: indices, beyond: from - 1 });
    for (const id of this.#edges.dependents[body.id] as readonly number[]) this.open(id, regionAt(at));
    this.#leave(body, regionAt(at));
  }

  #slot(id: number): SlotPlan {
    return this.#plan.slots[id] as SlotPlan;
  }

  /** What it comes to may be different. */
  #mark(id: number, from: Region): void {
    const slot = this.#slot(id);
    const region = widen(from, this.#edges.depths[slot.scope] as number);
    if (this.reached.add(id, region)) this.#left.push([slot, region]);
  }

  /** Q2: what it is given may be different. */
  open(id: number, from: Region): void {
    this.#mark(id, from);
    const { block, scope } = this.#slot(id);
    if (block === null) return;
    const region = widen(from, this.#edges.depths[scope] as number);
    if (!this.#opened.add(id, region)) return;
    for (const inside of block.scopes) this.#enter(inside, region);
  }

  #enter(scope: number, region: Region): void {
    for (const id of (this.#plan.scopes[scope] as ScopePlan).slots) this.open(id, region);
  }

  /** Q1 */
  spread(slot: SlotPlan, region: Region): void {
    for (const id of this.#edges.dependents[slot.id] as readonly number[]) this.open(id, region);
    for (const id of this.#edges.takers[slot.id] as readonly number[]) this.#mark(id, region);
    if (slot.stream >= 0) this.#enter((this.#plan.streams[slot.stream] as StreamPlan).itemScope, region);
    if (slot.kind === SlotKind.push)
      for (const read of this.#reads.after(slot, region)) this.#mark(read.slot, regionAt(read.at));
    if (slot.kind === SlotKind.sweep) this.#sweep(slot, region);
    this.#leave(slot, region);
  }

  /** Everything in the items that it may cancel, earlier ones of its own stream too. */
  #sweep({ scope, targets }: SlotPlan, region: Region): void {
    const depth = Math.max(0, (this.#edges.depths[scope] as number) - 1);
    for (const id of targets ?? []) {
      let item = this.#plan.scopes[this.#slot(id).scope] as ScopePlan;
      while (item.stream < 0 && item.parent >= 0) item = this.#plan.scopes[item.parent] as ScopePlan;
      this.#enter(item.id, widen(region, depth));
    }
  }

  /** What the blocks around make of it. */
  #leave({ id, scope, feed }: SlotPlan, region: Region): void {
    for (
      let at = this.#plan.scopes[scope] as ScopePlan;
      at.parent >= 0;
      at = this.#plan.scopes[at.parent] as ScopePlan
    ) {
      if (at.block < 0) continue;
      const owner = this.#slot(at.block);
      const block = owner.block as BlockPlan;
      const around = widen(region, this.#edges.depths[owner.scope] as number);
      if (block.through >= 0) this.#mark(block.through, around);
      // A race may be won by the first item of a stream.
      if (owner.kind === SlotKind.bounded || (owner.kind === SlotKind.race && feed !== null))
        this.#mark(owner.id, around);
      if (owner.kind === SlotKind.fallback && at.arm === 0) this.#failed(owner, block, around);
      if (owner.kind === SlotKind.loop && block.results.slice(0, 2).includes(id))
        this.#goOn(at, this.#edges.depths[owner.scope] as number, region);
    }
  }

  /** A failure in the body of a fallback brings its handler. */
  #failed(owner: SlotPlan, { scopes }: BlockPlan, around: Region): void {
    this.#mark(owner.id, around);
    for (const handler of scopes.slice(1)) this.#enter(handler, around);
  }

  /** Q3. Of many loops at once, not even the first iterations are told apart. */
  #goOn({ id }: ScopePlan, depth: number, region: Region): void {
    const { at, beyond } = region;
    if (at.length > depth) this.#enter(id, { at: at.slice(0, depth), beyond: at[depth] as number });
    else this.#enter(id, at.length === depth && beyond < 0 ? { at, beyond: 0 } : region);
  }
}
