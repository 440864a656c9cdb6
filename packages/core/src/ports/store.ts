/**
 * Where the store keeps its entries: bytes at places, and nothing else. What namespaces, keys, values, filters and texts are
 * is decided above it, once for all of them; the contract suite in `testing/store-contract.ts` decides whether an
 * implementation is right.
 *
 * KV1  A place is bytes: 1 to 1,024 of them. Places that differ in any byte are two, and they are ordered as unsigned bytes,
 *     a shorter one before a longer one that begins with it.
 * KV2  `put` is one transaction and durable when it resolves, as the backend was configured; of two puts at one place the later
 *     one stands, whole.
 * KV3  Time is the database's. An entry whose `expiresAt` has come is not there, for whatever is asked, whether or not it was
 *     deleted; a put at its place is the first one.
 * KV4  `scan` gives the entries between two places in order, from the first on: at most `limit`, fewer when they are large, none
 *     only if there are none.
 * KV5  Done twice, every call does the same as done once, so that a call whose reply was lost may be repeated.
 * KV6  Bytes come back as they were given.
 */
export interface EntryStore {
  get(place: Uint8Array): Promise<Entry | undefined>;
  put(entry: NewEntry): Promise<void>;
  delete(place: Uint8Array): Promise<void>;
  /** Lets an entry with `refreshMs` live for so long from now on; any other stays as it is. */
  touch(place: Uint8Array): Promise<void>;
  scan(range: EntryRange): Promise<Entry[]>;
  /** Deletes entries that have expired, at most `limit`, and says how many. */
  expire(limit: number): Promise<number>;
}

export interface NewEntry {
  readonly place: Uint8Array;
  readonly bytes: Uint8Array;
  /** Whole milliseconds from now, at least 1; null: it stays. */
  readonly ttlMs: number | null;
  /** That `touch` lets it live for `ttlMs` again. */
  readonly refresh: boolean;
}

export interface Entry {
  readonly place: Uint8Array;
  readonly bytes: Uint8Array;
  /** Milliseconds since 1970, UTC, like the others. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly expiresAt: number | null;
  /** Null: nothing but a put lets it live longer. */
  readonly refreshMs: number | null;
}

/** Both ends are left out. */
export interface EntryRange {
  readonly after: Uint8Array;
  readonly before: Uint8Array;
  readonly limit: number;
}

/** The longest place, in bytes. */
export const longestPlace = 1_024;
/** The longest value, in bytes, before anything that a backend adds to it. */
export const longestEntry: number = 1 << 20;
/** A scan ends with the entry that reaches it: about so many bytes are in memory at a time. */
export const scanBytes: number = 1 << 20;
