import { expect, inject, test } from "vitest";

import { Client } from "pg";

import { opened } from "../../core/test/servers/harness.ts";
import { appendOf, newRun } from "../../core/test/servers/runs.ts";
import { troubleTests } from "../../core/test/servers/trouble.ts";
import { harness } from "./support/harness.ts";
import { freshSchema, lapse, withClient } from "./support/store.ts";

troubleTests(harness);

test("H3 a row that a dead owner's connection holds is freed for the live owner who appends", async () => {
  const schema = freshSchema();
  const backend = await opened(harness, "a", schema);
  await Promise.all(["r", "s"].map((id) => backend.create(newRun(id))));
  const dead = await opened(harness, "dead", schema);
  const [{ n } = { n: 0 }] = await withClient(async (client) => {
    const { rows } = await client.query<{ n: string }>(`SELECT n FROM "${schema}".owners WHERE name = 'dead'`);
    return rows;
  });
  await dead.abandon();
  await lapse(schema, "dead");
  const frozen = new Client({ connectionString: inject("postgresUrl"), application_name: `millrace ${schema} ${n}` });
  frozen.on("error", () => undefined);
  await frozen.connect();
  await frozen.query("BEGIN");
  await frozen.query(`SELECT FROM "${schema}".runs WHERE id = 'r' FOR UPDATE`);
  const results = await Promise.all(["r", "s"].map((id) => backend.append(appendOf(id, 2))));
  expect(results).toEqual([{ type: "ok" }, { type: "ok" }]);
  await expect(frozen.query("COMMIT")).rejects.toThrow(/terminat|connection error/);
});

test("a role without rights, and a server that only reads, are told by name", async () => {
  const schema = freshSchema();
  const backend = await opened(harness, "a", schema);
  await backend.create(newRun("r"));
  const role = `reader_${process.pid}`;
  await withClient((client) =>
    client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT USAGE ON SCHEMA "${schema}" TO ${role}`),
  );
  const url = new URL(inject("postgresUrl"));
  url.username = role;
  url.password = "x";
  await expect(opened(harness, "b", schema, {}, url.href)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
  const reading = `${inject("postgresUrl")}?options=-c%20default_transaction_read_only%3Don`;
  await expect(opened(harness, "c", schema, {}, reading)).rejects.toMatchObject({ code: "DatabaseReadOnly" });
});
