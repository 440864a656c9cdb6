import { MillraceError, type Duration } from "@millrace/core";
import { parseDuration, ServerHandle, type ServerBackend } from "@millrace/core/adapter";

import { addressOf } from "./address.ts";
import { openConnections, type ConnectionsOptions } from "./connections.ts";
import type { PostgresServer } from "./server-config.ts";
import { schemaPattern } from "./sql/tables.ts";

export type { PostgresServer } from "./server-config.ts";

export interface PostgresOptions {
  /**
   * Where the tables are; it is made if it is missing. Lower-case letters, digits and underscores. Backends with other
   * schemas see nothing of each other. Default `"millrace"`.
   */
  readonly schema?: string | undefined;
  /**
   * How long the runs of a process that died without a word stay with it; it renews three times as often, on a thread of its
   * own. At least a second. Default `"10s"`.
   */
  readonly lease?: Duration | undefined;
  /**
   * When the engine's loop has not come round for so long, the lease is given up: a process that hangs must not keep its
   * runs. Default `"5m"`.
   */
  readonly stuckAfter?: Duration | undefined;
  /**
   * How long calls go on trying while the server cannot be reached; then `DatabaseUnavailable`. `open` does not wait.
   * Default: as long as `lease`, after which others may have the runs anyway.
   */
  readonly patience?: Duration | undefined;
  /**
   * `"on"` (default): an acknowledged record survives a crash of the server. `"off"`: such a crash may take the last commits,
   * whole ones, and no other crash does. Whatever the server's own setting is; one that also waits for standbys is kept.
   */
  readonly synchronousCommit?: "on" | "off" | undefined;
}

/** As the server itself reports them. */
export interface PostgresSettings {
  readonly serverVersion: string;
  readonly synchronousCommit: string;
  readonly fsync: string;
  readonly schemaVersion: number;
}

export type PostgresBackend = ServerBackend<PostgresSettings>;

/**
 * Runs in one schema of a PostgreSQL database, version 14 or later. `server` is a URL (`postgres://user@host:5432/database`) or
 * a configuration of a `pg.Pool`; besides the pool's connections the backend keeps one that appends, one that listens and one
 * that renews its lease. Nothing is connected before the engine opens it; then the schema is made or brought up to date.
 *
 * Appends of all runs that wait for the disk share one commit. Connections must be sessions: a pooler in front of the server
 * has to run in session mode.
 *
 * @throws MillraceError `InvalidOption`, and `DatabaseUnavailable` for what is no address of a PostgreSQL server.
 */
export function postgres(server: string | URL | PostgresServer, options: PostgresOptions = {}): PostgresBackend {
  const { schema = "millrace", lease = "10s", stuckAfter = "5m", synchronousCommit = "on" } = options;
  if (!schemaPattern.test(schema)) {
    throw new MillraceError("InvalidOption", `postgres(…): schema ${JSON.stringify(schema)} cannot be used`, {
      hint: "1 to 63 lower-case letters, digits and underscores, the first no digit",
    });
  }
  if (synchronousCommit !== "on" && synchronousCommit !== "off") {
    throw new MillraceError("InvalidOption", `postgres(…): synchronousCommit is "on" or "off"`);
  }
  const leaseMs = parseDuration(lease, "postgres(…).lease");
  if (leaseMs < 1_000) throw new MillraceError("InvalidOption", "postgres(…): a lease lasts at least a second");
  const { config, server: address } = addressOf(server);
  const name = `${address}#${schema}`;
  const connections: ConnectionsOptions = {
    config,
    name,
    schema,
    leaseMs,
    stuckAfterMs: parseDuration(stuckAfter, "postgres(…).stuckAfter"),
    patienceMs: parseDuration(options.patience ?? leaseMs, "postgres(…).patience"),
    synchronousCommit,
  };
  return new ServerHandle({ name, connect: (owner, hint) => openConnections(connections, owner, hint) });
}
