import type { Connection, PoolOptions } from "mysql2/promise";

import type { OwnershipTimes, RegisteredOwner, ServerDriver } from "@millrace/core/adapter";
import { Lease, monotonicMs } from "@millrace/core/node";

import { cloneable, withoutPool } from "./address.ts";
import { appendDriver } from "./appends/append-driver.ts";
import { queries } from "./calls/queries.ts";
import { Database, type Owned } from "./database.ts";
import { Hints } from "./hints.ts";
import type { MysqlSettings } from "./mysql.ts";
import { registerOwner } from "./owner.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { SessionOptions } from "./session.ts";
import { lockScope } from "./sql/tables.ts";

export interface DriverOptions extends OwnershipTimes {
  readonly config: PoolOptions;
  /** For messages. */
  readonly name: string;
  readonly database: string;
  readonly prefix: string;
  readonly hintsMs: number;
  readonly durable: "commit" | "server";
}

export type MysqlDriver = ServerDriver<MysqlSettings, Owned, Connection>;

/** @throws MillraceError `InvalidOption` */
export function driverOf(options: DriverOptions, owner: string): MysqlDriver {
  const { config, name, prefix, leaseMs, patienceMs, stuckAfterMs, hintsMs, durable } = options;
  const client = cloneable(config);
  const scope = lockScope(options.database, prefix);
  const session: SessionOptions = { name, durable, lockScope: scope, ownerN: undefined };
  const database = new Database({ config, prefix, patienceMs, session });
  const { statements } = database;
  return {
    name,
    patience: database.patience,
    async register(): Promise<RegisteredOwner<MysqlSettings, Owned, Connection>> {
      const sentAt = monotonicMs();
      // Its connection does not hold the owner's lock, whose number is not known yet, and is not used again.
      const ownerN = await database.withClient(async (pooled) => {
        await migrate(pooled, { prefix, backend: name, lockScope: scope });
        return registerOwner(pooled, statements, { owner, leaseMs, backend: name, lockScope: scope });
      });
      session.ownerN = ownerN;
      return {
        ownerN,
        sentAt,
        lease: new Lease({
          module: new URL("./lease-connection.ts", import.meta.url),
          options: { client, prefix },
          owner: String(ownerN),
          ttlMs: leaseMs,
          stuckAfterMs,
        }),
        appends: appendDriver({ config: withoutPool(config), session: { ...session, ownerN }, statements }),
        hints: new Hints({ database, ownerN, everyMs: hintsMs }),
        owned: { database, owner, ownerN },
        queries,
        settings: () => (database.report === undefined ? undefined : { ...database.report, schemaVersion }),
        leave: () => leave(database, ownerN),
      };
    },
    close: () => database.close(),
    abandon: () => database.abandon(),
  };
}

async function leave(database: Database, ownerN: number): Promise<void> {
  const { releaseRuns, deleteOwner, deleteSessions, insertHint } = database.statements;
  await database.takeLeave([releaseRuns, [ownerN]], [deleteOwner, [ownerN]], [deleteSessions, []], [insertHint, []]);
}
