import type { Label } from "./corpus.ts";
import { count, type Tally } from "./tally.ts";

/** Fold of the per-month reduce: the key is `YYYY-MM` in UTC. */
export function countMonth(tally: Tally, { date, label }: { readonly date: number; readonly label: Label }): Tally {
  return count(tally, monthOf(date), label);
}

export function monthOf(date: number): string {
  return new Date(date).toISOString().slice(0, 7);
}
