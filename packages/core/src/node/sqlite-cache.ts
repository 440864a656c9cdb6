import { fileURLToPath } from "node:url";
import { DatabaseSync, type StatementSync } from "node:sqlite";

import { createPrivately } from "./sqlite/worker/files.ts";
import { MillraceError } from "../base/error.ts";
import type { CacheBound, CacheEntry, SyncCacheStore } from "../ports/cache-store.ts";

export interface SqliteCacheOptions {
  /** Of all nodes together. Default 100,000. */
  readonly entries?: number;
}

export interface SqliteCache extends SyncCacheStore, Disposable {
  close(): void;
}

const schema = `
CREATE TABLE IF NOT EXISTS millrace_cache (
  key TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  used INTEGER NOT NULL,
  expires REAL NOT NULL,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS millrace_cache_node ON millrace_cache (node, used);
CREATE INDEX IF NOT EXISTS millrace_cache_used ON millrace_cache (used);
`;

/**
 * Entries are looked up on the calling thread: one costs some ten microseconds, because nothing waits for the disk. A
 * cache may lose its last entries in a crash, so commits are not synchronised.
 */
class Store implements SqliteCache {
  readonly #database: DatabaseSync;
  readonly #entries: number;
  readonly #select: StatementSync;
  readonly #touch: StatementSync;
  readonly #upsert: StatementSync;
  readonly #delete: StatementSync;
  readonly #trimNode: StatementSync;
  readonly #trimAll: StatementSync;
  #sets = 0;

  constructor(file: string, entries: number) {
    if (file !== ":memory:") createPrivately(file);
    this.#database = new DatabaseSync(file, { timeout: 1_000 });
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;");
    this.#database.exec(schema);
    this.#entries = entries;
    const prepare = (sql: string): StatementSync => this.#database.prepare(sql);
    this.#select = prepare("SELECT value, expires FROM millrace_cache WHERE key = ?");
    this.#touch = prepare(`UPDATE millrace_cache SET used = ${next} WHERE key = ?`);
    this.#upsert = prepare(`INSERT INTO millrace_cache (key, node, used, expires, value) VALUES (?, ?, ${next}, ?, ?)
      ON CONFLICT (key) DO UPDATE SET node = excluded.node, used = excluded.used, expires = excluded.expires, value = excluded.value`);
    this.#delete = prepare("DELETE FROM millrace_cache WHERE key = ?");
    this.#trimNode = prepare(`DELETE FROM millrace_cache WHERE node = ? AND used <=
      (SELECT used FROM millrace_cache WHERE node = ? ORDER BY used DESC LIMIT 1 OFFSET ?)`);
    this.#trimAll = prepare(`DELETE FROM millrace_cache WHERE used <=
      (SELECT used FROM millrace_cache ORDER BY used DESC LIMIT 1 OFFSET ?)`);
  }

  get(key: string): CacheEntry | undefined {
    const row = this.#select.get(key) as { value: string; expires: number } | undefined;
    if (row === undefined) return undefined;
    this.#touch.run(key);
    return { value: row.value, expires: row.expires };
  }

  set(key: string, { value, expires }: CacheEntry, { group, max }: CacheBound): void {
    this.#upsert.run(key, group, expires, value);
    this.#trimNode.run(group, group, max);
    // Counting through the whole table is not for every call.
    if (++this.#sets % 100 === 1) this.#trimAll.run(this.#entries);
  }

  delete(key: string): void {
    this.#delete.run(key);
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A count that only grows: the clock of "least recently used", also over processes. */
const next = "(SELECT coalesce(max(used), 0) + 1 FROM millrace_cache)";

/**
 * Keeps the outputs of cached ops in an SQLite file, for several processes and over restarts: `openEngine({ cache:
 * sqliteCache("cache.db") })`. A file of its own, not that of the runs: a power failure may cost it everything. Ops are told apart by their source text: where one
 * function makes several ops out of the same text, give them different names or versions.
 *
 * @throws MillraceError `InvalidOption` for a bound below 1.
 */
export function sqliteCache(path: string | URL, { entries = 100_000 }: SqliteCacheOptions = {}): SqliteCache {
  if (!(Number.isSafeInteger(entries) && entries >= 1))
    throw new MillraceError(
      "InvalidOption",
      `entries of sqliteCache is ${String(entries)}; it is a whole number, 1 or more`,
    );
  return new Store(typeof path === "string" ? path : fileURLToPath(path), entries);
}
