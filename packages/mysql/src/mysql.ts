import { MillraceError, type Duration } from "@millrace/core";
import {
  connectServer,
  ownershipTimes,
  parseDuration,
  ServerHandle,
  type OwnershipOptions,
  type ServerBackend,
} from "@millrace/core/adapter";

import { addressOf } from "./address.ts";
import { driverOf, type DriverOptions } from "./driver.ts";
import type { MysqlServer } from "./server-config.ts";
import { prefixPattern } from "./sql/tables.ts";

export type { MysqlServer } from "./server-config.ts";

export interface MysqlOptions extends OwnershipOptions {
  /**
   * Beginning of the names of the tables and procedures; they are made if they are missing. Lower-case letters, digits and
   * underscores. Backends with other prefixes see nothing of each other. Default `"millrace_"`.
   */
  readonly prefix?: string | undefined;
  /**
   * How often it asks whether something came: MySQL tells nobody. A note, or a run that another process queued, is found within
   * that time; each time costs the server one read of an index. At least 10 milliseconds. Default `"250ms"`.
   */
  readonly hints?: Duration | undefined;
  /**
   * `"commit"` (default): a server is refused whose settings let a crash of its machine take acknowledged records. `"server"`:
   * whatever the server's settings are; `settings()` tells them.
   */
  readonly durable?: "commit" | "server" | undefined;
}

/** As the server itself reports them. */
export interface MysqlSettings {
  readonly serverVersion: string;
  /** `innodb_flush_log_at_trx_commit`. */
  readonly flushLogAtCommit: string;
  readonly syncBinlog: string;
  /** Bytes. */
  readonly maxAllowedPacket: number;
  readonly schemaVersion: number;
}

export type MysqlBackend = ServerBackend<MysqlSettings>;

/**
 * Runs in tables of a MySQL (8.0.22 or later) or MariaDB (10.6 or later) database. `server` is a URL
 * (`mysql://user@host:3306/database`) or a configuration of a pool of `mysql2`; besides the pool's connections the backend keeps
 * one that appends and one that renews its lease. Nothing is connected before the engine opens it; then the tables and
 * procedures are made or brought up to date.
 *
 * Appends of all runs that wait for the disk share one commit. Connections must be sessions with one server that writes: no
 * proxy that shares them out, no cluster in which several servers write.
 *
 * @throws MillraceError `InvalidOption`, and `DatabaseUnavailable` for what is no address of a MySQL server.
 */
export function mysql(server: string | URL | MysqlServer, options: MysqlOptions = {}): MysqlBackend {
  const { prefix = "millrace_", durable = "commit", hints = "250ms" } = options;
  checkNames(prefix, durable);
  const { config, database, server: address } = addressOf(server);
  const name = `${address}#${prefix}`;
  const driver: DriverOptions = {
    config,
    name,
    database,
    prefix,
    durable,
    ...ownershipTimes(options, "mysql(…)"),
    hintsMs: parseHints(hints),
  };
  return new ServerHandle({
    name,
    connect: async (owner, hint) => connectServer(driverOf(driver, owner), hint),
  });
}

function checkNames(prefix: string, durable: string): void {
  if (!prefixPattern.test(prefix)) {
    throw new MillraceError("InvalidOption", `mysql(…): prefix ${JSON.stringify(prefix)} cannot be used`, {
      hint: "1 to 32 lower-case letters, digits and underscores, the first no digit",
    });
  }
  if (durable !== "commit" && durable !== "server") {
    throw new MillraceError("InvalidOption", `mysql(…): durable is "commit" or "server"`);
  }
}

function parseHints(hints: Duration): number {
  const ms = parseDuration(hints, "mysql(…).hints");
  if (ms < 10) throw new MillraceError("InvalidOption", "mysql(…): hints are 10 milliseconds apart, or more");
  return ms;
}
