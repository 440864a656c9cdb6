/** What looking costs the server, in rows that it reads: not in time, of which a busy machine takes any. */
import { createConnection, type Connection } from "mysql2/promise";
import { expect, inject, test } from "vitest";

import { newRun } from "../../core/test/servers/runs.ts";
import { hexKeyOf } from "../src/keys.ts";
import { statementsOf } from "../src/sql/statements.ts";
import { opened } from "./support/open.ts";
import { freshPrefix } from "./support/store.ts";

async function readBy(client: Connection, text: string, values: unknown[]): Promise<number> {
  await client.query("FLUSH STATUS");
  await client.execute(text, values as never);
  const [rows] = await client.query("SHOW SESSION STATUS LIKE 'Handler_read%'");
  return (rows as { Value: string }[]).reduce((sum, { Value }) => sum + Number(Value), 0);
}

test("B11 a claim that finds nothing looks at no run of an owner that lives, none that ended, none that rests", async () => {
  const prefix = freshPrefix();
  const backend = await opened("a", { prefix });
  const ids = Array.from({ length: 600 }, (_, i) => `r${i}`);
  await Promise.all(ids.map((id) => backend.create(newRun(id))));
  const client = await createConnection(inject("mysqlUrl"));
  try {
    const free = "owner = NULL, owner_n = NULL";
    await client.query(`UPDATE \`${prefix}runs\` SET status = 'completed', ended_at = 5, ${free} WHERE n <= 200`);
    await client.query(
      `UPDATE \`${prefix}runs\` SET status = 'interrupted', wake_at = 9e15, ${free} WHERE n > 200 AND n <= 400`,
    );
    await client.query(`ANALYZE TABLE \`${prefix}runs\`, \`${prefix}owners\``);
    const { selectClaimable, selectHints } = statementsOf(prefix);
    const shared = [Date.now(), JSON.stringify([[hexKeyOf("g"), null]]), -1, -1, 0];
    const one = [...shared, "queued", ...Array.from({ length: 9 }, () => "running"), "20"];
    const shape = { byId: false, due: true, graphs: true, except: false };
    const values = [...one, ...one, ...shared, Date.now(), "20", "20"];
    expect(await readBy(client, selectClaimable(shape), values)).toBeLessThan(60);
    await client.query(`INSERT INTO \`${prefix}hints\` (owner_n) SELECT 7 FROM \`${prefix}runs\``);
    expect(await readBy(client, selectHints, [1, 590])).toBeLessThan(60);
    const claim = { statuses: ["queued", "running"], due: true, limit: 20, at: Date.now() } as const;
    expect(await backend.claim(claim)).toEqual([]);
  } finally {
    await client.end();
  }
});
