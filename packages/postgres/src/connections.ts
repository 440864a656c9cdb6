import type { ClientConfig, PoolConfig } from "pg";

import { AppendQueue, type OwnershipTimes, type ServerConnections } from "@millrace/core/adapter";
import { Lease, monotonicMs } from "@millrace/core/node";

import { cloneable } from "./address.ts";
import { AppendConnection } from "./appends/append-connection.ts";
import { callsOf } from "./calls/calls.ts";
import { Database } from "./database.ts";
import { Listener } from "./listener.ts";
import { registerOwner } from "./owner.ts";
import type { PostgresSettings } from "./postgres.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { SessionOptions } from "./session.ts";
import { applicationName } from "./sql/terminate-backends.ts";

export interface ConnectionsOptions extends OwnershipTimes {
  readonly config: PoolConfig;
  /** For messages. */
  readonly name: string;
  readonly schema: string;
  readonly synchronousCommit: "on" | "off";
}

/** A connection for each kind of work. */
interface Connected {
  readonly ownerN: number;
  readonly database: Database;
  readonly appending: AppendConnection;
  readonly lease: Lease;
  readonly listener: Listener;
}

/** @throws MillraceError */
export async function openConnections(
  options: ConnectionsOptions,
  owner: string,
  hint: () => void,
): Promise<ServerConnections<PostgresSettings>> {
  const { config, name, schema, leaseMs, patienceMs, synchronousCommit } = options;
  const client = await cloneable(config);
  const session: SessionOptions = { name, synchronousCommit, applicationName: `millrace ${schema}`.slice(0, 63) };
  const database = new Database({ config, schema, patienceMs, session });
  try {
    const sentAt = monotonicMs();
    // Its connection does not bear the owner's name, which is not known yet, and is not used again.
    const ownerN = await database.withClient(async (pooled) => {
      await migrate(pooled, schema, name);
      return registerOwner(pooled, database.statements, { owner, leaseMs, backend: name });
    });
    session.applicationName = applicationName(schema, ownerN);
    const lease = leaseOf(options, client, ownerN);
    const own = { config: withoutPool(config), session };
    const appending = new AppendConnection({ ...own, statements: database.statements, patienceMs, ownerN });
    try {
      await Promise.all([lease.start(sentAt), appending.ready()]);
    } catch (error) {
      appending.abandon();
      await lease.abandon();
      await database.once(database.statements.deleteOwner, [ownerN]).catch(() => undefined);
      throw error;
    }
    appending.keepAlive(false);
    const listener = new Listener({ ...own, schema, ownerN }, hint);
    const connected: Connected = { ownerN, database, appending, lease, listener };
    return {
      name,
      ownerN,
      lease,
      calls: callsOf({ database, owner, ownerN }),
      appends: new AppendQueue(appending, name),
      settings: () => (database.report === undefined ? undefined : { ...database.report, schemaVersion }),
      listen: () => listener.start(),
      close: () => close(connected),
      abandon: () => abandon(connected),
    };
  } catch (error) {
    database.abandon();
    throw database.failures.toError(error);
  }
}

async function close({ database, appending, listener, lease, ownerN }: Connected): Promise<void> {
  await listener.close();
  await lease.stop();
  await database.takeLeave(database.statements.deleteOwner, [ownerN]).catch(() => undefined);
  await Promise.allSettled([appending.close(), database.close()]);
}

async function abandon({ database, appending, listener, lease }: Connected): Promise<void> {
  appending.abandon();
  database.abandon();
  listener.abandon();
  await lease.abandon();
}

function leaseOf({ schema, leaseMs, stuckAfterMs }: ConnectionsOptions, client: ClientConfig, ownerN: number): Lease {
  return new Lease({
    module: leaseModule(),
    options: { client, schema, applicationName: applicationName(schema, ownerN) },
    owner: String(ownerN),
    ttlMs: leaseMs,
    stuckAfterMs,
  });
}

/** The source when this file is source, the compiled file beside it when it is compiled. */
function leaseModule(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./lease-connection.ts" : "./lease-connection.js", import.meta.url);
}

function withoutPool(config: PoolConfig): ClientConfig {
  const { max: _max, min: _min, onConnect: _onConnect, log: _log, ...rest } = config;
  return rest;
}
