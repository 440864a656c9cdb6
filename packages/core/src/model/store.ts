import type { Duration } from "../base/duration.ts";

/**
 * Where entries are kept together: at least one part, at most 16, each 1 to 256 bytes as UTF-8. Parts are data: whatever
 * characters they hold, they stand for themselves.
 */
export type Namespace = readonly string[];

/** An entry as it was read. Its value is the reader's own copy. */
export interface StoreItem<T = unknown> {
  readonly namespace: Namespace;
  readonly key: string;
  readonly value: T;
  /** When the first `put` of it was, or the first after it had expired or been deleted: milliseconds since 1970, UTC. */
  readonly createdAt: number;
  /** When the last `put` was. */
  readonly updatedAt: number;
  /** From when on it is not there any more; undefined: it stays. */
  readonly expiresAt: number | undefined;
}

export interface PutOptions {
  /** How long the entry lives, by the clock of the database. Default: until it is deleted. At least 1 ms. */
  readonly ttl?: Duration | undefined;
  /** Each `get` lets it live for its whole `ttl` again; `search` does not. Default false. */
  readonly refresh?: boolean | undefined;
}

/** What a field is asked for besides equality. All that are given must hold. */
export interface FieldCondition {
  readonly $eq?: unknown;
  /** Also of an entry that has no such field. */
  readonly $ne?: unknown;
  /** Numbers are compared with numbers, bigints with bigints, texts with texts (by code unit), dates with dates; nothing else matches. */
  readonly $gt?: StoreOrdered | undefined;
  readonly $gte?: StoreOrdered | undefined;
  readonly $lt?: StoreOrdered | undefined;
  readonly $lte?: StoreOrdered | undefined;
  /** Equal to one of these. */
  readonly $in?: readonly unknown[] | undefined;
}

export type StoreOrdered = number | bigint | string | Date;

/**
 * By field of the value, which must be an object: what the field equals, through and through, or an object of conditions, all
 * keys of which begin with `$`. All fields must match.
 */
export type StoreFilter = Readonly<Record<string, unknown>>;

/** Names an entry: an item is one. */
export interface StorePlace {
  readonly namespace: Namespace;
  readonly key: string;
}

export interface SearchOptions {
  readonly filter?: StoreFilter | undefined;
  /**
   * Words: each of them must occur in some text of the value, at any depth, upper and lower case being the same. Keys of
   * objects are no texts of the value. At most 1,024 characters; without a word it is as if there was none.
   */
  readonly query?: string | undefined;
  /** At most so many items, 1 to 1,000. Default 10. */
  readonly limit?: number | undefined;
  /** Leave out so many of the first ones. Default 0. */
  readonly offset?: number | undefined;
  /** Only what comes behind this one: the last item of the page before. */
  readonly after?: StorePlace | undefined;
}

/**
 * Key-value memory that runs share: what one wrote, later ones find. Every call is one transaction of its own, durable when it
 * resolves. It is no part of the run's journal: a body that runs again after a crash writes again, and what it reads may have
 * changed, so what a graph goes on with is what the body returns.
 */
export interface Store {
  /**
   * @typeParam T What the caller knows the value to be: it is not checked.
   * @throws MillraceError `InvalidStorePlace`
   */
  get<T = unknown>(namespace: Namespace, key: string): Promise<StoreItem<T> | undefined>;
  /**
   * Puts a value there, whatever was there before: also its time to live. Values are what an op may return, but for
   * `undefined`, and at most 1 MiB long in the encoding of the journal.
   *
   * @throws MillraceError `InvalidStorePlace`, `InvalidStoreValue`, `Unencodable`
   */
  put(namespace: Namespace, key: string, value: unknown, options?: PutOptions): Promise<void>;
  /** Nothing happens if there is nothing. */
  delete(namespace: Namespace, key: string): Promise<void>;
  /**
   * Entries whose namespace begins with `prefix`, part by part; `[]`: all. In the order of their places: namespace and key as one
   * list, part by part, by code point, and a shorter list before a longer one that begins with it.
   *
   * @throws MillraceError `InvalidStorePlace`, `InvalidStoreSearch`; `StoreSearchTooWide` when 100,000 entries were looked
   * through and there are more
   */
  search<T = unknown>(prefix: Namespace, options?: SearchOptions): Promise<StoreItem<T>[]>;
}
