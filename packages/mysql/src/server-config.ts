import type { ConnectionOptions } from "node:tls";

/**
 * A configuration of a pool of `mysql2`, declared here so that this package's types need none of others. What is not listed is
 * passed on all the same.
 */
export interface MysqlServer {
  readonly uri?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Of a unix socket, instead of host and port. */
  readonly socketPath?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  readonly ssl?: string | ConnectionOptions | undefined;
  /** Connections of the pool at most. Default 10. */
  readonly connectionLimit?: number | undefined;
  readonly connectTimeout?: number | undefined;
  readonly enableKeepAlive?: boolean | undefined;
  readonly keepAliveInitialDelay?: number | undefined;
}
