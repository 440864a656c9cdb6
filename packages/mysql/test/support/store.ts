import type { Backend } from "@millrace/core";
import type { StoreUnderTest } from "@millrace/core/testing";
import { mysql, type MysqlBackend, type MysqlOptions } from "@millrace/mysql";
import { createConnection, type Connection, type ResultSetHeader } from "mysql2/promise";
import { inject } from "vitest";

import { hexKeyOf } from "../../src/keys.ts";

let count = 0;

/** A prefix that nobody else uses, in the server of this test run. */
export function freshPrefix(): string {
  count += 1;
  return `t${process.pid}_${count}_`;
}

/** One connection of the test's own, as long as `use` takes. */
export async function withClient<Result>(
  use: (client: Connection) => Promise<Result>,
  url: string = inject("mysqlUrl"),
): Promise<Result> {
  const client = await createConnection({ uri: url, flags: ["FOUND_ROWS"] });
  client.on("error", () => undefined);
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
export async function lapse(prefix: string, owner: string, url?: string): Promise<void> {
  const end = `UPDATE \`${prefix}owners\` SET lease_until = UTC_TIMESTAMP(6)
    WHERE name_key = UNHEX(?) AND lease_until > UTC_TIMESTAMP(6)`;
  await withClient(async (client) => {
    for (let calm = 0, tries = 0; calm < 2 && tries < 20; tries += 1) {
      const [{ affectedRows }] = await client.query<ResultSetHeader>(end, [hexKeyOf(owner)]);
      calm = affectedRows === 0 ? calm + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }, url);
}

/** Tables and procedures. */
export async function drop(prefix: string): Promise<void> {
  await withClient(async (client) => {
    for (const kind of ["table", "procedure"] as const) {
      const [name, place, schema] =
        kind === "table" ? ["table_name", "tables", "table_schema"] : ["routine_name", "routines", "routine_schema"];
      const [rows] = await client.query(
        `SELECT ${name} AS name FROM information_schema.${place} WHERE ${schema} = DATABASE() AND ${name} LIKE ?`,
        [`${prefix.replaceAll("_", String.raw`\_`)}%`],
      );
      for (const found of rows as { name: string }[]) await client.query(`DROP ${kind} IF EXISTS \`${found.name}\``);
    }
  });
}

export async function storeUnderTest(options: MysqlOptions = {}): Promise<StoreUnderTest> {
  const prefix = freshPrefix();
  const owners = new Map<Backend, string>();
  return {
    connect() {
      const backend: MysqlBackend = mysql(inject("mysqlUrl"), { prefix, ...options });
      const open = backend.open.bind(backend);
      backend.open = async (owner) => {
        await open(owner);
        owners.set(backend, owner);
      };
      return backend;
    },
    async crash(backend) {
      await (backend as MysqlBackend).abandon();
      await lapse(prefix, owners.get(backend) ?? "");
    },
    dispose: () => drop(prefix),
  };
}
