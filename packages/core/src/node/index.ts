export { sqlite, type SqliteBackend, type SqliteOptions, type SqliteSettings } from "./sqlite/sqlite.ts";
