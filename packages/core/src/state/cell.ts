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

  constructor(plan: CellPlan) {
    this.#plan = plan;
    this.#accumulator = cloneData(plan.initial);
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
