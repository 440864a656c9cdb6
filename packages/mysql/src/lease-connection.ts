/** Runs in the lease thread, which loads no other module of Millrace. */
import { createConnection, type ConnectionOptions, type ResultSetHeader } from "mysql2/promise";

import { renewOwner } from "./sql/owners.ts";
import { setIsolation, setUpLease } from "./sql/set-up-session.ts";
import { tablesOf } from "./sql/tables.ts";

export interface LeaseConnectionOptions {
  readonly client: ConnectionOptions;
  readonly prefix: string;
}

interface Connection {
  renew(owner: string, ttlMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export async function connect({ client: config, prefix }: LeaseConnectionOptions): Promise<Connection> {
  const client = await createConnection({ ...config, flags: ["FOUND_ROWS"] });
  // Told to whoever waits for a renewal; without a listener an idle connection's end would end the thread.
  client.on("error", () => undefined);
  await client.query(setUpLease);
  await client.query(setIsolation);
  const renew = renewOwner(tablesOf(prefix));
  return {
    async renew(owner, ttlMs) {
      const [{ affectedRows }] = await client.execute<ResultSetHeader>(renew, [ttlMs, owner]);
      return affectedRows === 1;
    },
    close: () => client.end(),
  };
}
