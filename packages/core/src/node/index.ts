export { sqliteCache, type SqliteCache, type SqliteCacheOptions } from "./sqlite-cache.ts";
export { sqlite, type SqliteBackend, type SqliteOptions, type SqliteSettings } from "./sqlite/sqlite.ts";
export { workerPool, type WorkerPoolOptions } from "./worker-pool/worker-pool.ts";
