import type { Client, ClientConfig, PoolConfig } from "pg";

import type { OwnershipTimes, RegisteredOwner, ServerDriver } from "@millrace/core/adapter";
import { Lease, monotonicMs } from "@millrace/core/node";

import { cloneable } from "./address.ts";
import { appendDriver } from "./appends/append-driver.ts";
import { queries } from "./calls/queries.ts";
import { Database, type Owned } from "./database.ts";
import { hintsOf } from "./hints.ts";
import { registerOwner } from "./owner.ts";
import type { PostgresSettings } from "./postgres.ts";
import { migrate, schemaVersion } from "./schema.ts";
import type { SessionOptions } from "./session.ts";
import { applicationName } from "./sql/terminate-backends.ts";

export interface DriverOptions extends OwnershipTimes {
  readonly config: PoolConfig;
  /** For messages. */
  readonly name: string;
  readonly schema: string;
  readonly synchronousCommit: "on" | "off";
}

export type PostgresDriver = ServerDriver<PostgresSettings, Owned, Client>;

/** @throws MillraceError `InvalidOption` */
export async function driverOf(options: DriverOptions, owner: string): Promise<PostgresDriver> {
  const { config, name, schema, leaseMs, patienceMs, stuckAfterMs, synchronousCommit } = options;
  const client = await cloneable(config);
  const session: SessionOptions = { name, synchronousCommit, applicationName: `millrace ${schema}`.slice(0, 63) };
  const database = new Database({ config, schema, patienceMs, session });
  const { statements } = database;
  return {
    name,
    patience: database.patience,
    async register(): Promise<RegisteredOwner<PostgresSettings, Owned, Client>> {
      const sentAt = monotonicMs();
      // Its connection does not bear the owner's name, which is not known yet, and is not used again.
      const ownerN = await database.withClient(async (pooled) => {
        await migrate(pooled, schema, name);
        return registerOwner(pooled, statements, { owner, leaseMs, backend: name });
      });
      session.applicationName = applicationName(schema, ownerN);
      const own = { config: withoutPool(config), session, ownerN };
      return {
        ownerN,
        sentAt,
        lease: new Lease({
          module: new URL("./lease-connection.ts", import.meta.url),
          options: { client, schema, applicationName: session.applicationName },
          owner: String(ownerN),
          ttlMs: leaseMs,
          stuckAfterMs,
        }),
        appends: appendDriver({ ...own, statements }),
        hints: hintsOf({ ...own, schema }),
        say: async (text) => void (await database.once(statements.notify, [text])),
        owned: { database, owner, ownerN },
        queries,
        settings: () => (database.report === undefined ? undefined : { ...database.report, schemaVersion }),
        leave: () => database.takeLeave(statements.deleteOwner, [ownerN]),
      };
    },
    close: () => database.close(),
    abandon: () => database.abandon(),
  };
}

function withoutPool(config: PoolConfig): ClientConfig {
  const { max: _max, min: _min, onConnect: _onConnect, log: _log, ...rest } = config;
  return rest;
}
