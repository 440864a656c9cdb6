/** Servers of others: their defaults, their rights, and what they would take. Each has one of its own. */
import { mysql } from "@millrace/mysql";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import { appendOf, newRun, readAll } from "../../core/test/servers/runs.ts";
import * as schemaTexts from "../src/sql/schema-version.ts";
import { opened } from "./support/open.ts";
import { password, startServer, type Server } from "./support/server.ts";
import { freshPrefix, withClient } from "./support/store.ts";

async function started(flags: readonly string[] = []): Promise<Server> {
  const server = await startServer(flags);
  onTestFinished(() => server.stop());
  return server;
}

const strangeFlags = [
  "--autocommit=0",
  "--completion-type=CHAIN",
  "--transaction-isolation=SERIALIZABLE",
  "--default-time-zone=+05:30",
  "--sql-mode=ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES",
  "--character-set-server=latin1",
  "--collation-server=latin1_german1_ci",
];

const strangeGlobals = `SET GLOBAL sql_select_limit = 1, GLOBAL sql_safe_updates = 1, GLOBAL tx_read_only = 1,
  GLOBAL sql_big_selects = 0, GLOBAL max_join_size = 3`;

test("H23 defaults of a server change nothing: transactions, time zone, modes, limits and texts are the backend's own", async () => {
  const { url } = await started(strangeFlags);
  await withClient((client) => client.query(strangeGlobals), url);
  const prefix = freshPrefix();
  const backend = await opened("a", { prefix, lease: "1s" }, url);
  const ids = ["r", "ключ", "🧵"];
  for (const id of ids) {
    expect(await backend.create(newRun(id, { labels: { [id]: id }, thread: id }))).toEqual({ type: "created" });
  }
  const appended = await Promise.all(ids.map((id) => backend.append(appendOf(id, 2))));
  expect(appended.map(({ type }) => type)).toEqual(["ok", "ok", "ok"]);
  expect((await backend.list()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect((await backend.list({ labels: { ключ: "ключ" } })).map(({ thread }) => thread)).toEqual(["ключ"]);
  expect(await readAll(backend, "r")).toHaveLength(2);
  await expectRenewed(url, prefix);
  await expect(mysql(url, { prefix }).open("a")).rejects.toMatchObject({ code: "OwnerInUse" });
}, 60_000);

/** Others see the lease move on: a renewal that is not committed is none. */
async function expectRenewed(url: string, prefix: string): Promise<void> {
  const lease = async (): Promise<number> =>
    withClient(async (client) => {
      const [rows] = await client.query(`SELECT UNIX_TIMESTAMP(lease_until) AS until FROM \`${prefix}owners\``);
      return Number((rows as { until: string }[])[0]!.until);
    }, url);
  const before = await lease();
  await vi.waitFor(async () => expect(await lease()).toBeGreaterThan(before), { timeout: 20_000, interval: 100 });
}

test("who may not make procedures is told so, not that the password is wrong", async () => {
  const { url } = await started();
  await withClient(async (client) => {
    await client.query(`CREATE USER few@'%' IDENTIFIED BY '${password}'`);
    await client.query("GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE, CREATE, ALTER, INDEX ON test.* TO few@'%'");
  }, url);
  const few = new URL(url);
  few.username = "few";
  const prefix = freshPrefix();
  await expect(opened("a", { prefix }, few.href)).rejects.toMatchObject({
    code: "DatabaseReadOnly",
    hint: expect.stringContaining("CREATE ROUTINE") as string,
  });
  await (await opened("b", { prefix }, url)).close();
  const backend = await opened("a", { prefix }, few.href);
  expect(await backend.create(newRun("r"))).toEqual({ type: "created" });
}, 60_000);

test("a replica is refused by name, also when its user could write there", async () => {
  const { url } = await started();
  const prefix = freshPrefix();
  await (await opened("a", { prefix }, url)).close();
  await withClient((client) => client.query("SET GLOBAL read_only = 1"), url);
  await expect(opened("a", { prefix }, url)).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    message: expect.stringContaining("read_only is ON and must be OFF") as string,
  });
}, 60_000);

test("what is larger than the server takes is not sent: a connection that ends over it would be taken for a loss", async () => {
  const backend = await opened("a", { prefix: freshPrefix() }, inject("mysqlUrl"));
  const bytes = Buffer.alloc(40 << 20);
  const refusal = {
    code: "DatabaseFailed",
    message: expect.stringMatching(/\d bytes, and max_allowed_packet is \d/) as string,
  };
  await backend.create(newRun("r"));
  for (let round = 0; round < 5; round += 1) {
    const row = { firstSeq: 2, count: 1, chain: 2, bytes };
    await expect(backend.append(appendOf("r", 2, { row }))).rejects.toMatchObject(refusal);
    const note = { runId: "r", kind: "answer", key: "k", bytes, by: "b", at: 1, wakes: [] } as const;
    await expect(backend.post(note)).rejects.toMatchObject(refusal);
    const first = { firstSeq: 1, count: 1, chain: 1, bytes };
    await expect(backend.create(newRun("s", { first }))).rejects.toMatchObject(refusal);
  }
  expect(await backend.append(appendOf("r", 2))).toEqual({ type: "ok" });
});

test("MySQL 8 names columns of information_schema by capitals: each that is asked for has a name of ours", () => {
  const texts = Object.values(schemaTexts).filter((text) => typeof text === "string");
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) {
    const columns = /SELECT (.*) FROM information_schema/.exec(text)?.[1] ?? "";
    expect(columns.split(", ")).toEqual(columns.split(", ").map(() => expect.stringMatching(/^\w+ AS \w+$/)));
  }
});
