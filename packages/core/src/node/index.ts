export { encrypted, type EncryptedOptions } from "./encrypted/encrypted.ts";
export type { EncryptionKey } from "./encrypted/key-ring.ts";
export { Lease, type LeaseConnect, type LeaseConnection, type LeaseOptions } from "./lease/lease.ts";
export { monotonicMs } from "./lease/beat.ts";
export { sqliteCache, type SqliteCache, type SqliteCacheOptions } from "./sqlite-cache.ts";
export {
  sqlite,
  type SqliteBackend,
  type SqliteOptions,
  type SqliteSettings,
  type SqliteSizes,
} from "./sqlite/sqlite.ts";
export { projectTraces, projectTracesFile } from "./traces/project.ts";
export { listTraces, readTrace } from "./traces/read-traces.ts";
export { sqliteTraces, type SqliteTracesOptions } from "./traces/sqlite-traces.ts";
export { taskPool } from "./worker-pool/task-pool.ts";
export { workerPool, type WorkerPoolOptions } from "./worker-pool/worker-pool.ts";
