/** Runs in the lease thread, which loads no other module of Millrace. */
import { Client, type ClientConfig } from "pg";

import { renewOwner } from "./sql/owners.ts";
import { tablesOf } from "./sql/tables.ts";

export interface LeaseConnectionOptions {
  readonly client: ClientConfig;
  readonly schema: string;
  readonly applicationName: string;
}

interface Connection {
  renew(owner: string, ttlMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export async function connect({
  client: config,
  schema,
  applicationName,
}: LeaseConnectionOptions): Promise<Connection> {
  const client = new Client(config);
  // Told to whoever waits for a renewal; without a listener an idle connection's end would end the thread.
  client.on("error", () => undefined);
  await client.connect();
  await client.query(
    "SELECT set_config('application_name', $1, false), set_config('search_path', 'pg_catalog', false)",
    [applicationName],
  );
  const renew = renewOwner(tablesOf(schema));
  return {
    async renew(owner, ttlMs) {
      const { rowCount } = await client.query({ name: "millrace_renewOwner", text: renew, values: [owner, ttlMs] });
      return rowCount === 1;
    },
    close: () => client.end(),
  };
}
