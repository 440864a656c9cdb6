/**
 * Where outputs of ops with `cache` are kept. The contract suite in `testing/cache-store-contract.ts` decides whether an
 * implementation is right.
 *
 * C1  `get` gives what the last `set` of that very key was given, or nothing; keys that differ never meet.
 * C2  Of one group no more than `bound.max` entries are kept: the least recently used go first. A `get` is a use.
 * C3  Losing an entry is always allowed, giving another one never.
 *
 * Whether an entry is still good is the engine's to decide, by its clock. A store that throws or rejects costs a warning
 * and an execution, never a failed op.
 */
export interface CacheStore {
  get(key: string): CacheEntry | undefined | Promise<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry, bound: CacheBound): void | Promise<void>;
  delete(key: string): void | Promise<void>;
}

/** One that answers at once: a hit then costs no turn. */
export interface SyncCacheStore extends CacheStore {
  get(key: string): CacheEntry | undefined;
  set(key: string, entry: CacheEntry, bound: CacheBound): void;
  delete(key: string): void;
}

export interface CacheEntry {
  /** The output in the journal's encoding. */
  readonly value: string;
  /** Epoch milliseconds from which on it is not given out any more. */
  readonly expires: number;
}

export interface CacheBound {
  /** Entries that share the bound: those of one node. */
  readonly group: string;
  /** At least 1. */
  readonly max: number;
}
