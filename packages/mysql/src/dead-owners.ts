import type { Connection } from "mysql2/promise";

import { execute } from "./client.ts";
import { endHolder, sessionLock } from "./named-locks.ts";
import { answerTimeoutMs, type SessionOptions } from "./session.ts";
import type { Statements } from "./sql/statements.ts";

/** H3: ends connections of owners whose leases have lapsed; how many there were. */
export async function endDeadSessions(
  client: Connection,
  statements: Statements,
  session: SessionOptions,
): Promise<number> {
  const { rows } = await execute<{ readonly ownerN: number; readonly id: number }>(
    client,
    statements.selectDeadSessions,
    [session.lockScope],
    answerTimeoutMs,
  );
  for (const { ownerN, id } of rows) await endHolder(client, sessionLock({ ...session, ownerN }, id), id);
  return rows.length;
}
