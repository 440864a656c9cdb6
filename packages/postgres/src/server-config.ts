import type { ConnectionOptions } from "node:tls";

/**
 * A configuration of a `pg.Pool`, declared here so that this package's types need none of others. What is not listed is passed
 * on all the same.
 */
export interface PostgresServer {
  readonly connectionString?: string | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
  /** A function is asked for every new connection, and once for the thread that renews the lease. */
  readonly password?: string | (() => string | Promise<string>) | undefined;
  readonly ssl?: boolean | ConnectionOptions | undefined;
  /** Connections of the pool at most. Default 10. */
  readonly max?: number | undefined;
  readonly min?: number | undefined;
  readonly idleTimeoutMillis?: number | undefined;
  readonly connectionTimeoutMillis?: number | undefined;
  readonly keepAlive?: boolean | undefined;
  readonly keepAliveInitialDelayMillis?: number | undefined;
  readonly maxUses?: number | undefined;
  readonly maxLifetimeSeconds?: number | undefined;
  readonly query_timeout?: number | undefined;
  readonly options?: string | undefined;
}
