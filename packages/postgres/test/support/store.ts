import type { Backend } from "@millrace/core";
import type { StoreUnderTest } from "@millrace/core/testing";
import { postgres, type PostgresBackend, type PostgresOptions } from "@millrace/postgres";
import { Client } from "pg";
import { inject } from "vitest";

let count = 0;

/** A schema that nobody else uses, in the server of this test run. */
export function freshSchema(): string {
  count += 1;
  return `test_${process.pid}_${count}`;
}

/** One connection of the test's own, as long as `use` takes. */
export async function withClient<Result>(
  use: (client: Client) => Promise<Result>,
  url: string = inject("postgresUrl"),
): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * What time would do: nobody waits for leases here. A renewal of a dead owner may have been on its way still: its lease
 * lapses again until it stays so.
 */
export async function lapse(schema: string, owner: string, url?: string): Promise<void> {
  const end = `UPDATE "${schema}".owners SET lease_until = clock_timestamp() WHERE name = $1 AND lease_until > clock_timestamp()`;
  await withClient(async (client) => {
    for (let calm = 0, tries = 0; calm < 2 && tries < 20; tries += 1) {
      const { rowCount } = await client.query(end, [owner]);
      calm = rowCount === 0 ? calm + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }, url);
}

export async function storeUnderTest(options: PostgresOptions = {}): Promise<StoreUnderTest> {
  const schema = freshSchema();
  const owners = new Map<Backend, string>();
  return {
    connect() {
      const backend: PostgresBackend = postgres(inject("postgresUrl"), { schema, ...options });
      const open = backend.open.bind(backend);
      backend.open = async (owner) => {
        await open(owner);
        owners.set(backend, owner);
      };
      return backend;
    },
    async crash(backend) {
      await (backend as PostgresBackend).abandon();
      await lapse(schema, owners.get(backend) ?? "");
    },
    async dispose() {
      await withClient((client) => client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`));
    },
  };
}
