/** `@millrace/core/adapter`: what a package that implements a port needs besides its types: the product's own errors. */
export { parseDuration } from "../base/duration.ts";
export { errorOf, invariantBroken, type MessageName, type ValuesOf } from "../base/error.ts";
export type { AppendDriver } from "./server/append-connection.ts";
export type { Group } from "./server/batch.ts";
export type {
  ClaimedRow,
  JournalTail,
  PostedRow,
  Restored,
  RestoreCalls,
  ServerCalls,
  ServerQueries,
} from "./server/calls.ts";
export { connectServer, type OwnerLease, type RegisteredOwner, type ServerDriver } from "./server/connect-server.ts";
export type { Owner, ServerConnections } from "./server/connections.ts";
export type { Entry } from "./server/entry.ts";
export type { Failures } from "./server/failures.ts";
export { readDriverError, type DriverError } from "./server/driver-errors.ts";
export type { HintSource } from "./server/listener.ts";
export { ownershipTimes, type OwnershipOptions, type OwnershipTimes } from "./server/ownership.ts";
export { patiently, type Patience, type ServerPatience } from "./server/patience.ts";
export type { PageLimit } from "./server/portions.ts";
export { ServerHandle, type ServerBackend, type ServerHandleOptions } from "./server/server-handle.ts";
export type { StoredRow } from "./server/stored-row.ts";
