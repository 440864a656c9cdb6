import { parseDuration } from "../base/duration.ts";
import { MillraceError } from "../base/error.ts";
import type { Namespace, PutOptions, SearchOptions, Store, StoreItem } from "../model/store.ts";
import type { EntryStore, NewEntry } from "../ports/store.ts";
import { itemOf, valueBytes } from "./entry-value.ts";
import { checkKeys } from "./options.ts";
import { placeOf } from "./place.ts";
import { search } from "./search.ts";

/** Puts of entries that expire, behind which some that have expired are deleted. */
const putsPerSweep = 64;
/** More than were put since: so what has expired does not pile up, whoever prunes. */
const sweepEntries = 256;

/**
 * The store over the entries of a backend that is open: `storeOver(backend.store)`. What `ctx.store` is in the bodies of an
 * engine with that backend.
 */
export function storeOver(entries: EntryStore): Store {
  return new EntriesAsStore(entries);
}

class EntriesAsStore implements Store {
  readonly #entries: EntryStore;
  #expiring = 0;

  constructor(entries: EntryStore) {
    this.#entries = entries;
  }

  async get<T = unknown>(namespace: Namespace, key: string): Promise<StoreItem<T> | undefined> {
    const place = placeOf(namespace, key);
    const entry = await this.#entries.get(place);
    if (entry === undefined) return undefined;
    if (entry.refreshMs !== null) await this.#entries.touch(place);
    // The caller says what it is.
    return itemOf(entry) as StoreItem<T>;
  }

  async put(namespace: Namespace, key: string, value: unknown, options: PutOptions = {}): Promise<void> {
    const place = placeOf(namespace, key);
    const lifetime = lifetimeOf(options);
    await this.#entries.put({ place, bytes: valueBytes({ namespace, key }, value), ...lifetime });
    if (lifetime.ttlMs !== null) await this.#sweepSometimes();
  }

  async delete(namespace: Namespace, key: string): Promise<void> {
    await this.#entries.delete(placeOf(namespace, key));
  }

  async search<T = unknown>(prefix: Namespace, options: SearchOptions = {}): Promise<StoreItem<T>[]> {
    return (await search(this.#entries, prefix, options)) as StoreItem<T>[];
  }

  /** The put is done: what comes of this is nothing that its caller should fail of. */
  async #sweepSometimes(): Promise<void> {
    this.#expiring += 1;
    if (this.#expiring % putsPerSweep === 0) await this.#entries.expire(sweepEntries).catch(() => 0);
  }
}

function lifetimeOf(options: PutOptions): Pick<NewEntry, "ttlMs" | "refresh"> {
  checkKeys("put", options, ["ttl", "refresh"]);
  const { ttl, refresh = false } = options;
  if (typeof refresh !== "boolean") throw wrong("refresh of store.put is true or false");
  if (ttl === undefined && refresh)
    throw wrong("refresh of store.put needs a ttl", 'for example { ttl: "30d", refresh: true }');
  if (ttl === undefined) return { ttlMs: null, refresh };
  const ttlMs = parseDuration(ttl, "ttl of store.put");
  if (ttlMs < 1 || ttlMs > longestLife)
    throw wrong("ttl of store.put is between 1 ms and 36500d", "leave it out for what stays");
  return { ttlMs, refresh };
}

/** A hundred years: whatever clock it is added to, it stays a time that every database can hold. */
const longestLife = 36_500 * 86_400_000;

function wrong(message: string, hint?: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
