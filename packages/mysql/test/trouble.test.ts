import { createConnection } from "mysql2/promise";
import { expect, inject, test } from "vitest";

import { opened } from "../../core/test/servers/harness.ts";
import { appendOf, newRun } from "../../core/test/servers/runs.ts";
import { troubleTests } from "../../core/test/servers/trouble.ts";
import { lockScope } from "../src/sql/tables.ts";
import { harness } from "./support/harness.ts";
import { freshPrefix, lapse, withClient } from "./support/store.ts";

troubleTests(harness);

async function numberOf(prefix: string, owner: string): Promise<number> {
  return withClient(async (client) => {
    const [rows] = await client.query(`SELECT n FROM \`${prefix}owners\` WHERE name = ?`, [owner]);
    return (rows as { n: number }[])[0]!.n;
  });
}

test("H3 a row that a dead owner's connection holds is freed for the live owner who appends", async () => {
  const prefix = freshPrefix();
  const backend = await opened(harness, "a", prefix);
  await Promise.all(["r", "s"].map((id) => backend.create(newRun(id))));
  const dead = await opened(harness, "dead", prefix);
  const n = await numberOf(prefix, "dead");
  await dead.abandon();
  await lapse(prefix, "dead");
  const frozen = await createConnection(inject("mysqlUrl"));
  frozen.on("error", () => undefined);
  const [[{ id }]] = (await frozen.query("SELECT CONNECTION_ID() AS id")) as unknown as [[{ id: number }]];
  await frozen.query("SELECT GET_LOCK(?, 0)", [`${lockScope("test", prefix)}:${n}:${id}`]);
  await frozen.query(`INSERT INTO \`${prefix}sessions\` (owner_n, connection_id) VALUES (?, ?)`, [n, id]);
  await frozen.query("START TRANSACTION");
  await frozen.query(`SELECT n FROM \`${prefix}runs\` WHERE id = 'r' FOR UPDATE`);
  const results = await Promise.all(["r", "s"].map((run) => backend.append(appendOf(run, 2))));
  expect(results).toEqual([{ type: "ok" }, { type: "ok" }]);
  await expect(frozen.query("COMMIT")).rejects.toThrow(/closed|lost|reset|killed/i);
});

test("a connection that has the number of a dead owner's, and is not its, is left alone", async () => {
  const prefix = freshPrefix();
  const backend = await opened(harness, "a", prefix);
  const dead = await opened(harness, "dead", prefix);
  const n = await numberOf(prefix, "dead");
  await dead.abandon();
  await lapse(prefix, "dead");
  await withClient(async (stranger) => {
    await stranger.query(`INSERT INTO \`${prefix}sessions\` (owner_n, connection_id) VALUES (?, CONNECTION_ID())`, [n]);
    await backend.create(newRun("r"));
    await backend.release("r", 1);
    await stranger.query("START TRANSACTION");
    await stranger.query(`SELECT n FROM \`${prefix}runs\` WHERE id = 'r' FOR UPDATE`);
    expect(await backend.claim({ statuses: ["running"], limit: 1, at: Date.now() })).toEqual([]);
    await stranger.query("COMMIT");
  });
  expect(await backend.claim({ statuses: ["running"], limit: 1, at: Date.now() })).toHaveLength(1);
});

test("a user without rights, and one who may not set the tables up, are told by name", async () => {
  const prefix = freshPrefix();
  const backend = await opened(harness, "a", prefix);
  await backend.create(newRun("r"));
  const user = `reader_${process.pid}`;
  await withClient(async (client) => {
    await client.query(`CREATE USER ${user}@'%' IDENTIFIED BY 'x'`);
    await client.query(`GRANT SELECT, EXECUTE ON test.* TO ${user}@'%'`);
  });
  const url = new URL(inject("mysqlUrl"));
  url.username = user;
  url.password = "x";
  await expect(opened(harness, "b", prefix, {}, url.href)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
  await expect(opened(harness, "b", freshPrefix(), {}, url.href)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
  await withClient((client) => client.query(`GRANT INSERT, UPDATE, DELETE ON test.* TO ${user}@'%'`));
  const granted = await opened(harness, "b", prefix, {}, url.href);
  expect(await granted.create(newRun("s"))).toEqual({ type: "created" });
});
