import { errorOf } from "@millrace/core/adapter";
import type { Connection } from "mysql2/promise";

import { execute } from "./client.ts";
import { hexKeyOf, keyOf } from "./keys.ts";
import { leaveLock, takeLock } from "./named-locks.ts";
import { answerTimeoutMs } from "./session.ts";
import type { Statements } from "./sql/statements.ts";

const lockSeconds = 10;

export interface OwnerOptions {
  readonly owner: string;
  readonly leaseMs: number;
  readonly backend: string;
  readonly lockScope: string;
}

/**
 * Registers a bearer of the name; the number tells it from those before and after it (an owner that comes back inherits
 * nothing). One at a time opens under a name.
 *
 * @throws MillraceError `OwnerInUse`
 */
export async function registerOwner(
  client: Connection,
  statements: Statements,
  { owner, leaseMs, backend, lockScope }: OwnerOptions,
): Promise<number> {
  const run = (text: string, ...values: unknown[]): ReturnType<typeof execute> =>
    execute(client, text, values, answerTimeoutMs);
  const lock = `${lockScope}:owner:${hexKeyOf(owner).slice(0, 24)}`;
  if (!(await takeLock(client, lock, lockSeconds))) {
    throw errorOf("DatabaseLocked.wait", {
      backend,
      detail: `named lock ${lock}: another process opens as this owner`,
    });
  }
  try {
    const key = keyOf(owner);
    if ((await run(statements.selectLiveOwner, key)).rows.length > 0) {
      throw errorOf("OwnerInUse", { where: backend, owner });
    }
    await run(statements.endNamesakes, key);
    await run(statements.deleteDeadOwners);
    await run(statements.deleteSessions);
    return (await run(statements.insertOwner, owner, key, leaseMs)).made;
  } finally {
    await leaveLock(client, lock);
  }
}
