/** For hostile mode (`packages/core/test/acceptance/support/hostile.ts`): a schema of its own for all engines of a test. */
import { postgres, type PostgresBackend } from "@millrace/postgres";
import { inject } from "vitest";

import { freshSchema, withClient } from "./store.ts";

export function hostileStore(): { another(): PostgresBackend; close(): Promise<void> } {
  const schema = freshSchema();
  return {
    // Nobody dies here: a machine that is busy must not cost anybody its runs.
    another: () => postgres({ connectionString: inject("postgresUrl"), max: 3 }, { schema, lease: "1m" }),
    close: () => withClient(async (client) => void (await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`))),
  };
}
