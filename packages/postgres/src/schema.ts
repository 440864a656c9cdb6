import { errorOf } from "@millrace/core/adapter";
import type { ClientBase } from "pg";

import { schema1 } from "./sql/schema-1.ts";
import { schema2 } from "./sql/schema-2.ts";
import { schema3 } from "./sql/schema-3.ts";
import { schema4 } from "./sql/schema-4.ts";
import {
  createSchemaTable,
  hasSchemaTable,
  insertSchemaVersion,
  lockSchema,
  selectSchemaVersion,
} from "./sql/schema-version.ts";
import { tablesOf, type Tables } from "./sql/tables.ts";

/**
 * Applied in order, each once, all in one transaction under one lock. They only ever expand the schema, so that a process of
 * the version before can go on beside a newer one until it is replaced (H29).
 */
const migrations: readonly ((tables: Tables) => string)[] = [schema1, schema2, schema3, schema4];

export const schemaVersion: number = migrations.length;

/**
 * Brings the schema to this version. Writes nothing when it is there already, so that a role that may not create anything can
 * open what another one has made.
 *
 * @throws MillraceError `DatabaseTooNew`
 */
export async function migrate(client: ClientBase, schema: string, backend: string): Promise<void> {
  const tables = tablesOf(schema);
  if ((await currentVersion(client, tables, backend)) === schemaVersion) return;
  await client.query("BEGIN");
  try {
    await client.query(lockSchema(tables));
    // Again under the lock: another process may have been faster.
    await client.query(createSchemaTable(tables));
    for (let version = await currentVersion(client, tables, backend); version < schemaVersion; version += 1) {
      await client.query(migrations[version]?.(tables) ?? "");
      await client.query(insertSchemaVersion(tables), [version + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function currentVersion(client: ClientBase, tables: Tables, backend: string): Promise<number> {
  const { rows } = await client.query<{ found: boolean }>(hasSchemaTable(tables));
  if (rows[0]?.found !== true) return 0;
  const versions = await client.query<{ version: number }>(selectSchemaVersion(tables));
  const version = versions.rows[0]?.version ?? 0;
  if (version > schemaVersion) {
    throw errorOf("DatabaseTooNew.schema", { backend, version, known: schemaVersion });
  }
  return version;
}
