import { MillraceError } from "@millrace/core";
import { errorOf } from "@millrace/core/adapter";
import type { ConnectionOptions, PoolOptions } from "mysql2/promise";

import type { MysqlServer } from "./server-config.ts";

/** Which server and database, and what they are called in messages. */
export interface Address {
  readonly config: PoolOptions;
  readonly database: string;
  /** `mysql:host:port/database`: no user, no password. */
  readonly server: string;
}

/** Nothing of a text that cannot be read is repeated: it may hold a password. */
export function addressOf(server: string | URL | MysqlServer): Address {
  const isUrl = typeof server === "string" || server instanceof URL;
  const { uri, ...given } = isUrl ? { uri: String(server) } : (server as PoolOptions);
  const config: PoolOptions = { ...(uri === undefined ? {} : fromUrl(uri)), ...given };
  const { host = "localhost", port = 3306, socketPath, database } = config;
  if (database === undefined || database === "") {
    throw errorOf("DatabaseUnavailable.mysqlAddress", { problem: "the address names no database" });
  }
  const place = socketPath === undefined ? `${host}:${port}` : socketPath;
  return { config, database, server: `mysql:${place}/${database}` };
}

/** What stands behind `?` is passed on to `mysql2`, which reads values as JSON where they are. */
function fromUrl(text: string): PoolOptions {
  if (!/^(mysql|mariadb):\/\//.test(text)) {
    throw errorOf("DatabaseUnavailable.mysqlAddress", {
      problem: "the address does not begin with mysql:// or mariadb://",
    });
  }
  try {
    const url = new URL(text);
    const config: Record<string, unknown> = {
      host: decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, "$1")),
      port: url.port === "" ? 3306 : Number(url.port),
      database: decodeURIComponent(url.pathname.slice(1)),
    };
    if (url.username !== "") config["user"] = decodeURIComponent(url.username);
    if (url.password !== "") config["password"] = decodeURIComponent(url.password);
    for (const [key, value] of url.searchParams) config[key] = valueOf(value);
    return config;
  } catch {
    throw errorOf("DatabaseUnavailable.mysqlAddress", { problem: "the address cannot be read" });
  }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/**
 * For the lease thread, to which no functions can travel.
 *
 * @throws MillraceError `InvalidOption`
 */
export function cloneable(config: PoolOptions): ConnectionOptions {
  try {
    return structuredClone(withoutPool(config));
  } catch {
    throw new MillraceError("InvalidOption", "mysql(…): the configuration holds a function", {
      hint: "the lease is renewed by a thread, to which functions cannot be sent",
    });
  }
}

/** Of one connection. */
export function withoutPool(config: PoolOptions): ConnectionOptions {
  const { connectionLimit: _limit, maxIdle: _max, idleTimeout: _idle, queueLimit: _queue, ...rest } = config;
  const { waitForConnections: _wait, ...connection } = rest;
  return connection;
}
