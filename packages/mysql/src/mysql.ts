import { MillraceError, type Duration } from "@millrace/core";
import { parseDuration, ServerHandle, type ServerBackend } from "@millrace/core/adapter";

import { addressOf } from "./address.ts";
import { openConnections, type ConnectionsOptions } from "./connections.ts";
import type { MysqlServer } from "./server-config.ts";
import { prefixPattern } from "./sql/tables.ts";

export type { MysqlServer } from "./server-config.ts";

export interface MysqlOptions {
  /**
   * Beginning of the names of the tables and procedures; they are made if they are missing. Lower-case letters, digits and
   * underscores. Backends with other prefixes see nothing of each other. Default `"millrace_"`.
   */
  readonly prefix?: string | undefined;
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
  const { prefix = "millrace_", durable = "commit", lease = "10s", stuckAfter = "5m", hints = "250ms" } = options;
  checkNames(prefix, durable);
  const leaseMs = atLeast(1_000, lease, "mysql(…).lease", "a lease lasts at least a second");
  const { config, database, server: address } = addressOf(server);
  const name = `${address}#${prefix}`;
  const connections: ConnectionsOptions = {
    config,
    name,
    database,
    prefix,
    durable,
    leaseMs,
    stuckAfterMs: parseDuration(stuckAfter, "mysql(…).stuckAfter"),
    patienceMs: parseDuration(options.patience ?? leaseMs, "mysql(…).patience"),
    hintsMs: atLeast(10, hints, "mysql(…).hints", "hints are 10 milliseconds apart, or more"),
  };
  return new ServerHandle({ name, connect: (owner, hint) => openConnections(connections, owner, hint) });
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

function atLeast(least: number, given: Duration, option: string, rule: string): number {
  const ms = parseDuration(given, option);
  if (ms < least) throw new MillraceError("InvalidOption", `mysql(…): ${rule}`);
  return ms;
}
