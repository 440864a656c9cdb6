import { postgres } from "@millrace/postgres";
import { expect, inject, test } from "vitest";

import { openTests } from "../../core/test/servers/open.ts";
import { appendOf, newRun, readAll } from "../../core/test/servers/runs.ts";
import { harness } from "./support/harness.ts";
import { opened } from "./support/open.ts";
import { freshSchema, withClient } from "./support/store.ts";

openTests(harness);

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
