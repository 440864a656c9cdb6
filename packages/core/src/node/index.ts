export { sqliteCache, type SqliteCache, type SqliteCacheOptions } from "./sqlite-cache.ts";
export { sqlite, type SqliteBackend, type SqliteOptions, type SqliteSettings } from "./sqlite/sqlite.ts";
