import { explain } from "../../../base/error.ts";
import { createSchemaTable, hasSchemaTable, insertSchemaVersion, selectSchemaVersion } from "../sql/schema-version.ts";
import { schema1 } from "../sql/schema-1.ts";
import { schema2 } from "../sql/schema-2.ts";
import { schema3 } from "../sql/schema-3.ts";
import { schema4 } from "../sql/schema-4.ts";
import { schema5 } from "../sql/schema-5.ts";
import { schema6 } from "../sql/schema-6.ts";
import type { Connection } from "./connection.ts";
import { StoreFailure } from "./store-failure.ts";

/**
 * Applied in order, each once, all in one transaction. They only ever expand the schema, so that a process of the
 * version before can go on beside a newer one until it is replaced (H29).
 */
const migrations: readonly string[] = [schema1, schema2, schema3, schema4, schema5, schema6];

export const schemaVersion: number = migrations.length;

/** Brings the file to this version, and says which it had. Writes nothing when it is there already. */
export function migrate(connection: Connection, file: string): number {
  const found = currentVersion(connection, file);
  if (found === schemaVersion) return found;
  connection.begin();
  try {
    connection.exec(createSchemaTable);
    // Again under the lock: another process may have been faster.
    for (let version = currentVersion(connection, file); version < schemaVersion; version += 1) {
      connection.exec(migrations[version] ?? "");
      connection.run(insertSchemaVersion, version + 1, Date.now());
    }
    connection.commit();
    return found;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function currentVersion(connection: Connection, file: string): number {
  if (connection.get(hasSchemaTable)?.["found"] === 0) return 0;
  const version = Number(connection.get(selectSchemaVersion)?.["version"]);
  if (version > schemaVersion) {
    throw new StoreFailure(explain("DatabaseTooNew", { file, version, known: schemaVersion }));
  }
  return version;
}
