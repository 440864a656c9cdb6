/** For hostile mode (`packages/core/test/acceptance/support/hostile.ts`): a prefix of its own for all engines of a test. */
import { mysql, type MysqlBackend } from "@millrace/mysql";
import { inject } from "vitest";

import { drop, freshPrefix } from "./store.ts";

export function hostileStore(): { another(): MysqlBackend; close(): Promise<void> } {
  const prefix = freshPrefix();
  return {
    // Nobody dies here: a machine that is busy must not cost anybody its runs.
    another: () => mysql({ uri: inject("mysqlUrl"), connectionLimit: 3 }, { prefix, lease: "1m" }),
    close: () => drop(prefix),
  };
}
