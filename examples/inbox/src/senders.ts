import type { Label } from "./corpus.ts";
import { count, type Tally } from "./tally.ts";

/** Fold of the per-sender reduce: the key is the lower-case From address. */
export function countSender(tally: Tally, { from, label }: { readonly from: string; readonly label: Label }): Tally {
  return count(tally, from, label);
}
