import { MillraceError } from "@millrace/core";
import {
  connectServer,
  ownershipTimes,
  ServerHandle,
  type OwnershipOptions,
  type ServerBackend,
} from "@millrace/core/adapter";

import { addressOf } from "./address.ts";
import { driverOf, type DriverOptions } from "./driver.ts";
import type { PostgresServer } from "./server-config.ts";
import { schemaPattern } from "./sql/tables.ts";

export type { PostgresServer } from "./server-config.ts";

export interface PostgresOptions extends OwnershipOptions {
  /**
   * Where the tables are; it is made if it is missing. Lower-case letters, digits and underscores. Backends with other
   * schemas see nothing of each other. Default `"millrace"`.
   */
  readonly schema?: string | undefined;
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
  const { schema = "millrace", synchronousCommit = "on" } = options;
  if (!schemaPattern.test(schema)) {
    throw new MillraceError("InvalidOption", `postgres(…): schema ${JSON.stringify(schema)} cannot be used`, {
      hint: "1 to 63 lower-case letters, digits and underscores, the first no digit",
    });
  }
  if (synchronousCommit !== "on" && synchronousCommit !== "off") {
    throw new MillraceError("InvalidOption", `postgres(…): synchronousCommit is "on" or "off"`);
  }
  const { config, server: address } = addressOf(server);
  const name = `${address}#${schema}`;
  const driver: DriverOptions = {
    config,
    name,
    schema,
    ...ownershipTimes(options, "postgres(…)"),
    synchronousCommit,
  };
  return new ServerHandle({
    name,
    connect: async (owner, hint) => connectServer(await driverOf(driver, owner), hint),
  });
}
