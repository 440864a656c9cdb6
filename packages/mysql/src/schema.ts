import { errorOf } from "@millrace/core/adapter";
import type { Connection } from "mysql2/promise";

import { leaveLock, takeLock } from "./named-locks.ts";
import { procedures } from "./sql/procedures.ts";
import { schema1 } from "./sql/schema-1.ts";
import { schema2 } from "./sql/schema-2.ts";
import {
  createSchemaTable,
  insertSchemaVersion,
  selectProcedures,
  selectSchemaVersion,
  selectTables,
} from "./sql/schema-version.ts";
import { likeNamesOf } from "./sql/statements.ts";
import { tablesOf, type Tables } from "./sql/tables.ts";

/**
 * Applied in order, each once, under one lock. They only ever expand the schema, so that a process of the version before can go
 * on beside a newer one until it is replaced (H29). MySQL keeps no transaction over them: a migration that was cut off begins
 * anew, so each of its statements leaves alone what is there.
 */
const migrations: readonly ((tables: Tables) => readonly string[])[] = [schema1, schema2];

export const schemaVersion: number = migrations.length;

/** One process may take long to bring a large database up to date. */
const lockSeconds = 60;

export interface SchemaOptions {
  readonly prefix: string;
  /** For messages. */
  readonly backend: string;
  /** Beginning of named locks. */
  readonly lockScope: string;
}

/**
 * Brings the tables and procedures to this version. Writes nothing when they are there already, so that a user who may not
 * create anything can open what another one has made.
 *
 * @throws MillraceError `DatabaseTooNew`, `DatabaseUnavailable`
 */
export async function migrate(client: Connection, options: SchemaOptions): Promise<void> {
  const { prefix, backend, lockScope } = options;
  const tables = tablesOf(prefix);
  if (await isCurrent(client, tables, backend)) return;
  const lock = `${lockScope}:schema`;
  if (!(await takeLock(client, lock, lockSeconds))) {
    throw errorOf("DatabaseLocked.wait", { backend, detail: `named lock ${lock}: another process sets the tables up` });
  }
  try {
    // Again under the lock: another process may have been faster.
    await client.query(createSchemaTable(tables));
    for (let version = await currentVersion(client, tables, backend); version < schemaVersion; version += 1) {
      for (const statement of migrations[version]?.(tables) ?? []) await client.query(statement);
      await client.query(insertSchemaVersion(tables), [version + 1]);
    }
    const there = await proceduresOf(client, prefix);
    for (const { name, create } of procedures) if (!there.has(name(tables))) await client.query(create(tables));
  } finally {
    await leaveLock(client, lock);
  }
}

/** A copy of a database may have come without its procedures: dumps leave them out unless they are told not to. */
async function isCurrent(client: Connection, tables: Tables, backend: string): Promise<boolean> {
  if ((await currentVersion(client, tables, backend)) !== schemaVersion) return false;
  const there = await proceduresOf(client, tables.prefix);
  return procedures.every(({ name }) => there.has(name(tables)));
}

async function currentVersion(client: Connection, tables: Tables, backend: string): Promise<number> {
  const [rows] = await client.query(selectTables, [likeNamesOf(tables.prefix)]);
  const found = rows as { readonly name: string; readonly engine: string | null }[];
  checkEngines(found, backend);
  if (!found.some(({ name }) => `\`${name}\`` === tables.schemaVersion)) return 0;
  const [versions] = await client.query(selectSchemaVersion(tables));
  const version = (versions as { version: number }[])[0]?.version ?? 0;
  if (version > schemaVersion) throw errorOf("DatabaseTooNew.schema", { backend, version, known: schemaVersion });
  return version;
}

/** Without transactions and row locks nothing that is promised holds. */
function checkEngines(
  found: readonly { readonly name: string; readonly engine: string | null }[],
  backend: string,
): void {
  for (const { name, engine } of found) {
    if (engine === null || engine.toLowerCase() === "innodb") continue;
    throw errorOf("DatabaseUnavailable.engine", { backend, table: name, engine });
  }
}

async function proceduresOf(client: Connection, prefix: string): Promise<ReadonlySet<string>> {
  const [rows] = await client.query(selectProcedures, [likeNamesOf(prefix)]);
  return new Set((rows as { name: string }[]).map(({ name }) => name));
}
