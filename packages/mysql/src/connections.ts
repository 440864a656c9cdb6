import type { ConnectionOptions, PoolOptions } from "mysql2/promise";

import { AppendQueue, type OwnershipTimes, type ServerConnections } from "@millrace/core/adapter";
import { Lease, monotonicMs } from "@millrace/core/node";

import { cloneable, withoutPool } from "./address.ts";
import { AppendConnection } from "./appends/append-connection.ts";
import { callsOf } from "./calls/calls.ts";
import { Database } from "./database.ts";
import { Listener } from "./listener.ts";
import type { MysqlSettings } from "./mysql.ts";
import { registerOwner } from "./owner.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { SessionOptions } from "./session.ts";
import { lockScope } from "./sql/tables.ts";

export interface ConnectionsOptions extends OwnershipTimes {
  readonly config: PoolOptions;
  /** For messages. */
  readonly name: string;
  readonly database: string;
  readonly prefix: string;
  readonly hintsMs: number;
  readonly durable: "commit" | "server";
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
): Promise<ServerConnections<MysqlSettings>> {
  const { config, name, prefix, leaseMs, patienceMs, durable } = options;
  const client = cloneable(config);
  const scope = lockScope(options.database, prefix);
  const session: SessionOptions = { name, durable, lockScope: scope, ownerN: undefined };
  const database = new Database({ config, prefix, patienceMs, session });
  try {
    const sentAt = monotonicMs();
    // Its connection does not hold the owner's lock, whose number is not known yet, and is not used again.
    const ownerN = await database.withClient(async (pooled) => {
      await migrate(pooled, { prefix, backend: name, lockScope: scope });
      return registerOwner(pooled, database.statements, { owner, leaseMs, backend: name, lockScope: scope });
    });
    session.ownerN = ownerN;
    const lease = leaseOf(options, client, ownerN);
    const own = { config: withoutPool(config), session: { ...session, ownerN } };
    const appending = new AppendConnection({ ...own, statements: database.statements, patienceMs });
    try {
      await Promise.all([lease.start(sentAt), appending.ready()]);
    } catch (error) {
      appending.abandon();
      await lease.abandon();
      await database.once(database.statements.deleteOwner, [ownerN]).catch(() => undefined);
      throw error;
    }
    appending.keepAlive(false);
    const listener = new Listener({ database, ownerN, everyMs: options.hintsMs }, hint);
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
  const { releaseRuns, deleteOwner, deleteSessions, insertHint } = database.statements;
  await listener.close();
  await lease.stop();
  const words = [
    [releaseRuns, [ownerN]],
    [deleteOwner, [ownerN]],
    [deleteSessions, []],
    [insertHint, []],
  ] as const;
  await database.takeLeave(...words).catch(() => undefined);
  await Promise.allSettled([appending.close(), database.close()]);
}

async function abandon({ database, appending, listener, lease }: Connected): Promise<void> {
  appending.abandon();
  database.abandon();
  listener.abandon();
  await lease.abandon();
}

function leaseOf(
  { prefix, leaseMs, stuckAfterMs }: ConnectionsOptions,
  client: ConnectionOptions,
  ownerN: number,
): Lease {
  return new Lease({
    module: leaseModule(),
    options: { client, prefix },
    owner: String(ownerN),
    ttlMs: leaseMs,
    stuckAfterMs,
  });
}

/** The source when this file is source, the compiled file beside it when it is compiled. */
function leaseModule(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./lease-connection.ts" : "./lease-connection.js", import.meta.url);
}
