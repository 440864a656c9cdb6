import { postgres } from "@millrace/postgres";
import { expect, inject, test } from "vitest";

import { appendOf, newRun, readAll } from "../../core/test/servers/runs.ts";
import { opened } from "./support/open.ts";
import { freshSchema, withClient } from "./support/store.ts";

test.each(["", "Upper", "1st", "a-b", 'a"b', "a b", "a.b", "x".repeat(64), "ümlaut", "a\0"])(
  "schema %j is refused by name",
  (schema) => {
    expect(() => postgres(inject("postgresUrl"), { schema })).toThrow(
      expect.objectContaining({ code: "InvalidOption" }) as Error,
    );
  },
);

test("a schema name of 63 characters works", async () => {
  const schema = `${freshSchema()}_`.padEnd(63, "x");
  const backend = await opened("a", { schema });
  await backend.create(newRun("r"));
  expect(await backend.append(appendOf("r", 2, { status: "queued", release: true }))).toEqual({ type: "ok" });
  expect(await backend.claim({ statuses: ["queued"], limit: 1, at: Date.now() })).toHaveLength(1);
});

test("wrong durations and leases are refused by name", () => {
  const url = inject("postgresUrl");
  expect(() => postgres(url, { lease: "10ms" })).toThrow(/at least a second/);
  expect(() => postgres(url, { lease: "soon" as never })).toThrow(/postgres\(…\)\.lease/);
  expect(() => postgres(url, { synchronousCommit: "maybe" as never })).toThrow(/synchronousCommit/);
});

test("ten processes that set one schema up at once all open", async () => {
  const schema = freshSchema();
  const backends = await Promise.all(Array.from({ length: 10 }, (_, i) => opened(`owner-${i}`, { schema })));
  await backends[0]!.create(newRun("r"));
  expect((await backends[9]!.get("r"))?.owner).toBe("owner-0");
  expect((await backends[5]!.stats()).owners).toBe(10);
});

test("H29 a schema that a newer version wrote is refused by name, and left as it is", async () => {
  const schema = freshSchema();
  const backend = await opened("a", { schema });
  await withClient((client) => client.query(`INSERT INTO "${schema}".schema_version (version) VALUES (99)`));
  const late = postgres(inject("postgresUrl"), { schema });
  await expect(late.open("b")).rejects.toMatchObject({ code: "DatabaseTooNew", message: /version 99/ });
  expect(await backend.stats()).toMatchObject({ owners: 1, schemaVersion: 99 });
});

test("search_path decides nothing, nor do tables of the same names elsewhere", async () => {
  const schema = freshSchema();
  const trap = freshSchema();
  await withClient(async (client) => {
    await client.query(`CREATE SCHEMA "${trap}"`);
    for (const table of ["runs", "journal", "owners"]) await client.query(`CREATE TABLE "${trap}".${table} (x int)`);
  });
  const url = `${inject("postgresUrl")}?options=-c%20search_path%3D${trap}`;
  const backend = await opened("a", { schema }, url);
  await backend.create(newRun("r"));
  expect(await backend.append(appendOf("r", 2))).toEqual({ type: "ok" });
  expect(await readAll(backend, "r")).toHaveLength(2);
});

test("a configuration of a pool serves as an address; its functions besides password are refused", async () => {
  const { hostname, port, username, password } = new URL(inject("postgresUrl"));
  const config = { host: hostname, port: Number(port), user: username, database: "postgres", max: 2 };
  const schema = freshSchema();
  const backend = postgres({ ...config, password: async () => password }, { schema });
  await backend.open("a");
  await Promise.all(Array.from({ length: 20 }, (_, i) => backend.create(newRun(`r${i}`))));
  expect(await backend.list()).toHaveLength(20);
  await backend.close();
  const strange = postgres({ ...config, password, ssl: { checkServerIdentity: () => undefined } }, { schema });
  await expect(strange.open("a")).rejects.toMatchObject({ code: "InvalidOption" });
});

test("texts that the database cannot keep are refused by name, wherever they stand", async () => {
  const backend = await opened("a", { schema: freshSchema() });
  for (const text of ["a\0b", "\ud800"]) {
    await expect(backend.create(newRun(text))).rejects.toMatchObject({ code: "InvalidRunId" });
    for (const changes of [
      { graph: text },
      { thread: text },
      { labels: { user: text } },
      { labels: { [text]: "x" } },
    ]) {
      await expect(backend.create(newRun("r", changes))).rejects.toMatchObject({ code: "DatabaseFailed" });
    }
    await expect(postgres(inject("postgresUrl")).open(text)).rejects.toMatchObject({ code: "DatabaseFailed" });
    expect(await backend.list({ labels: { user: text } })).toEqual([]);
    expect(await backend.claim({ statuses: ["running"], runId: text, limit: 1, at: 1 })).toEqual([]);
  }
  expect(await backend.list()).toEqual([]);
});
