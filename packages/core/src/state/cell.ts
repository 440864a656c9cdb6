import { syncOnly } from "../base/sync-only.ts";
import { cloneData } from "../base/clone.ts";
import type { CellPlan } from "../model/plan.ts";

/** One cell of one run. What it holds is the run's own: the initial value is copied, never shared. */
export class CellState {
  readonly #plan: CellPlan;
  #accumulator: unknown;
  /** Of a cell that grows in place or is viewed: what readers were given last, until the next update. */
  #copy: unknown;
  #copied = false;

  /** `carried`: what earlier runs of the thread left, by cell. */
  constructor(plan: CellPlan, carried: Readonly<Record<string, unknown>> | undefined) {
    this.#plan = plan;
    const isCarried = plan.carry && carried !== undefined && Object.hasOwn(carried, plan.name);
    this.#accumulator = cloneData(isCarried ? carried[plan.name] : plan.initial);
  }

  /** What was folded so far, not as readers see it. */
  accumulated(): unknown {
    return this.#accumulator;
  }

  /** What readers were given since the last update: they all have the same. */
  get given(): { readonly value: unknown } | null {
    return this.#copied ? { value: this.#copy } : null;
  }

  /** As it stood in another state of the same run. */
  restore(accumulated: unknown, given: CellState["given"]): void {
    this.#accumulator = accumulated;
    this.#copied = given !== null;
    this.#copy = given?.value;
  }

  fold(update: unknown): void {
    const { grow, reduce } = this.#plan;
    if (grow === null) this.#accumulator = syncOnly(reduce(this.#accumulator, update), "the reducer of a cell");
    else grow.add(this.#accumulator, update);
    this.#forget();
  }

  /** Copied like the initial value: what grows must be the run's own. */
  overwrite(accumulator: unknown): void {
    this.#accumulator = cloneData(accumulator);
    this.#forget();
  }

  /** The value as folded so far; it does not change any more, whatever is pushed later. */
  read(): unknown {
    const { grow, view } = this.#plan;
    if (grow === null && view === null) return this.#accumulator;
    if (!this.#copied) this.#copy = this.#seen();
    this.#copied = true;
    return this.#copy;
  }

  #seen(): unknown {
    const { grow, view } = this.#plan;
    const folded = grow === null ? this.#accumulator : grow.copy(this.#accumulator);
    return view === null ? folded : syncOnly(view(folded), "the view of a cell");
  }

  #forget(): void {
    this.#copied = false;
    this.#copy = undefined;
  }
}
