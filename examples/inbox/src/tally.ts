import { hash32 } from "./hash.ts";
import type { Label } from "./corpus.ts";

/** How many messages of one key (a sender, a month) were classified as what. */
export interface Count {
  readonly key: string;
  readonly ham: number;
  readonly spam: number;
}

/**
 * Counts by key. Immutable, as an accumulator of a reduce must be, and cheap to add to: the keys are spread over
 * shards, and adding copies one shard instead of the whole table.
 */
export type Tally = readonly (readonly Count[])[];

const SHARDS = 64;

export const emptyTally: Tally = Array.from({ length: SHARDS }, () => []);

export function count(tally: Tally, key: string, label: Label): Tally {
  const at = hash32(key) % SHARDS;
  const shard = tally[at] ?? [];
  const index = shard.findIndex((entry) => entry.key === key);
  const old = shard[index] ?? { key, ham: 0, spam: 0 };
  const next = { ...old, [label]: old[label] + 1 };
  return tally.with(at, index < 0 ? [...shard, next] : shard.with(index, next));
}

/** All counts, ordered by key (code units, not a locale: the same on every machine). */
export function countsByKey(tally: Tally): Count[] {
  return tally.flat().sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** All counts, most messages first, then by key. */
export function countsBySize(tally: Tally): Count[] {
  return countsByKey(tally).sort((a, b) => b.ham + b.spam - (a.ham + a.spam));
}
