import { errorOf } from "@millrace/core/adapter";
import type { ClientBase } from "pg";

import type { Statement, Statements } from "./sql/statements.ts";

/**
 * Registers a bearer of the name; the number tells it from those before and after it (an owner that comes back inherits
 * nothing).
 *
 * @throws MillraceError `OwnerInUse`
 */
export async function registerOwner(
  client: ClientBase,
  statements: Statements,
  { owner, leaseMs, backend }: { readonly owner: string; readonly leaseMs: number; readonly backend: string },
): Promise<number> {
  const run = async (statement: Statement, values: unknown[]): Promise<number | undefined> => {
    const { rows } = await client.query<{ n?: number }>({ ...statement, values });
    return rows[0]?.n;
  };
  await client.query("BEGIN");
  try {
    await run(statements.lockOwnerName, [owner]);
    if ((await run(statements.selectLiveOwner, [owner])) !== undefined) {
      throw errorOf("OwnerInUse", { where: backend, owner });
    }
    await run(statements.endNamesakes, [owner]);
    await run(statements.deleteDeadOwners, []);
    const n = await run(statements.insertOwner, [owner, leaseMs]);
    await client.query("COMMIT");
    if (n === undefined)
      throw errorOf("InvariantBroken", { id: "B6", detail: "an owner was inserted without a number" });
    return n;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
