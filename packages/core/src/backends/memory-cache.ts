/** The cache that an engine has when it is given none. Gone with the process. */
import { MillraceError } from "../base/error.ts";
import type { CacheBound, CacheEntry, SyncCacheStore } from "../ports/cache-store.ts";

export interface MemoryCacheOptions {
  /** Of all nodes together. Default 10,000. */
  readonly entries?: number;
  /** Of all encoded outputs together, about. Default 64 MiB. */
  readonly bytes?: number;
}

interface Kept {
  readonly entry: CacheEntry;
  readonly group: string;
}

/** Strings hold two bytes per character, and an entry costs something by itself. */
function sizeOf(key: string, { value }: CacheEntry): number {
  return 2 * (key.length + value.length) + 100;
}

/** Least recently used goes first: maps keep the order of insertion, and what is used is inserted again. */
class MemoryCache implements SyncCacheStore {
  readonly #entries: number;
  readonly #bytes: number;
  readonly #kept: Map<string, Kept> = new Map();
  readonly #groups: Map<string, Map<string, true>> = new Map();
  #size = 0;

  constructor(entries: number, bytes: number) {
    this.#entries = entries;
    this.#bytes = bytes;
  }

  get(key: string): CacheEntry | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#take(key, kept);
    this.#put(key, kept);
    return kept.entry;
  }

  set(key: string, entry: CacheEntry, { group, max }: CacheBound): void {
    this.delete(key);
    if (sizeOf(key, entry) > this.#bytes) return;
    this.#put(key, { entry, group });
    const inGroup = this.#groups.get(group)!;
    while (inGroup.size > max) this.delete(first(inGroup));
    while (this.#kept.size > this.#entries || this.#size > this.#bytes) this.delete(first(this.#kept));
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#take(key, kept);
  }

  #put(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#size += sizeOf(key, kept.entry);
    const group = this.#groups.get(kept.group);
    if (group === undefined) this.#groups.set(kept.group, new Map([[key, true]]));
    else group.set(key, true);
  }

  #take(key: string, { entry, group }: Kept): void {
    this.#kept.delete(key);
    this.#size -= sizeOf(key, entry);
    const inGroup = this.#groups.get(group)!;
    inGroup.delete(key);
    if (inGroup.size === 0) this.#groups.delete(group);
  }
}

function first(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value as string;
}

/**
 * Keeps the outputs of cached ops in this process. Give one to several engines and they share it.
 *
 * @throws MillraceError `InvalidOption` for a bound below 1.
 */
export function memoryCache({ entries = 10_000, bytes = 64 * 1024 * 1024 }: MemoryCacheOptions = {}): SyncCacheStore {
  for (const [name, bound] of Object.entries({ entries, bytes }))
    if (!(Number.isSafeInteger(bound) && bound >= 1))
      throw new MillraceError(
        "InvalidOption",
        `${name} of memoryCache is ${String(bound)}; it is a whole number, 1 or more`,
      );
  return new MemoryCache(entries, bytes);
}
