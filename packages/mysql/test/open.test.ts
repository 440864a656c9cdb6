import { insertRun } from "../src/sql/insert-run.ts";
import type { Tables } from "../src/sql/tables.ts";
import { mysql } from "@millrace/mysql";
import { expect, test } from "vitest";

import { openTests } from "../../core/test/servers/open.ts";
import { appendOf, newRun, readAll } from "../../core/test/servers/runs.ts";
import { harness } from "./support/harness.ts";
import { opened } from "./support/open.ts";
import { freshPrefix, withClient } from "./support/store.ts";

const somewhere = "mysql://user@127.0.0.1:3306/db";

openTests(harness);

test("an address without a database is refused", () => {
  expect(() => mysql({ host: "h" })).toThrow(/names no database/);
});

test.each(["", "Upper", "1st", "a-b", "a`b", "a b", "a.b", "x".repeat(33), "ümlaut", "a\0"])(
  "prefix %j is refused by name",
  (prefix) => {
    expect(() => mysql(somewhere, { prefix })).toThrow(expect.objectContaining({ code: "InvalidOption" }) as Error);
  },
);

test("a prefix of 32 characters works, and sees nothing of one that begins as it does", async () => {
  const short = freshPrefix();
  const prefix = short.padEnd(32, "x");
  const other = await opened("a", { prefix: short });
  await other.create(newRun("other"));
  const backend = await opened("a", { prefix });
  await backend.create(newRun("r"));
  expect(await backend.append(appendOf("r", 2, { status: "queued", release: true }))).toEqual({ type: "ok" });
  expect(await backend.claim({ statuses: ["queued"], limit: 1, at: Date.now() })).toHaveLength(1);
  expect((await backend.list()).map(({ id }) => id)).toEqual(["r"]);
});

test("wrong durations and leases are refused by name", () => {
  expect(() => mysql(somewhere, { lease: "10ms" })).toThrow(/at least a second/);
  expect(() => mysql(somewhere, { lease: "soon" as never })).toThrow(/mysql\(…\)\.lease/);
  expect(() => mysql(somewhere, { hints: "1ms" })).toThrow(/10 milliseconds/);
  expect(() => mysql(somewhere, { durable: "maybe" as never })).toThrow(/durable/);
});

test("a set-up that was cut off goes on where it stopped, and missing procedures are made again", async () => {
  const prefix = freshPrefix();
  const first = await opened("a", { prefix });
  await first.create(newRun("r"));
  await first.close();
  await withClient(async (client) => {
    await client.query(`DELETE FROM \`${prefix}schema_version\``);
    await client.query(`DROP TABLE \`${prefix}blob_refs\``);
  });
  const second = await opened("b", { prefix });
  expect((await second.get("r"))?.lastSeq).toBe(1);
  await second.close();
  await withClient((client) => client.query(`DROP PROCEDURE \`${insertRun.name({ prefix } as Tables)}\``));
  const third = await opened("c", { prefix });
  expect(await third.create(newRun("s", { blobs: ["h"] }))).toEqual({ type: "created" });
});

test("a table that InnoDB does not keep is refused by name", async () => {
  const prefix = freshPrefix();
  await (await opened("a", { prefix })).close();
  await withClient((client) => client.query(`ALTER TABLE \`${prefix}journal\` ENGINE=MyISAM`));
  await expect(opened("b", { prefix })).rejects.toMatchObject({
    code: "DatabaseUnavailable",
    message: expect.stringMatching(`${prefix}journal is kept by MyISAM`) as string,
  });
});

test("texts that MySQL's collations take for one are told apart: as ids, threads, labels, graphs, keys and owners", async () => {
  const prefix = freshPrefix();
  const names = [
    "a",
    "A",
    "a ",
    " a",
    "á",
    "a\u0301",
    "ａ",
    "🧵",
    "🧶",
    "ß",
    "ss",
    `${"x".repeat(900)}1`,
    `${"x".repeat(900)}2`,
  ];
  const backends = await Promise.all(names.map((name) => opened(name, { prefix })));
  for (const [i, name] of names.entries()) {
    const changes = { thread: name, graph: name, fingerprint: name, labels: { [name]: name } };
    expect(await backends[i]!.create(newRun(name, changes))).toEqual({ type: "created" });
    const note = { runId: names[0]!, kind: "answer", key: name, bytes: Buffer.from(name), by: name, at: 1 } as const;
    expect(await backends[i]!.post({ ...note, wakes: [] })).toMatchObject({ type: "posted" });
  }
  const [first] = backends;
  for (const name of names) {
    const only = [expect.objectContaining({ id: name, owner: name, thread: name })];
    expect(await first!.list({ thread: name })).toEqual(only);
    expect(await first!.list({ graph: name })).toEqual(only);
    expect(await first!.list({ labels: { [name]: name } })).toEqual(only);
    await first!.putBlob(name, Buffer.from(name));
  }
  for (const name of names) expect(Buffer.from((await first!.getBlob(name))!).toString()).toBe(name);
  for (const [i, name] of names.entries()) await backends[i]!.release(name, 1);
  for (const fingerprint of names) {
    const graphs = names.map((graph) => ({ graph, fingerprint }));
    const claimed = await first!.claim({ statuses: ["running"], limit: 20, at: Date.now(), graphs });
    expect(claimed.map(({ id }) => id)).toEqual([fingerprint]);
  }
});

test("R10 a page of a journal is read to the end where its rows are large, and an append alone may be larger than a batch", async () => {
  const backend = await opened("a", { prefix: freshPrefix() });
  await backend.create(newRun("r"));
  const bytes = Buffer.alloc(9 << 20, "0123456789");
  const rows = [2, 3, 4].map((seq) => appendOf("r", seq, { row: { firstSeq: seq, count: 1, chain: seq, bytes } }));
  const results = await Promise.all(rows.map((append) => backend.append(append)));
  expect(results.map(({ type }) => type)).toEqual(["ok", "ok", "ok"]);
  expect((await readAll(backend, "r")).map(({ text }) => text.length)).toEqual([7, ...rows.map(() => bytes.length)]);
});

test("what is larger than the server takes is told as such, and the run goes on", async () => {
  const backend = await opened("a", { prefix: freshPrefix() });
  await backend.create(newRun("r"));
  const row = { firstSeq: 2, count: 1, chain: 2, bytes: Buffer.alloc(20 << 20) };
  await expect(backend.append(appendOf("r", 2, { row }))).rejects.toMatchObject({
    code: "DatabaseFailed",
    message: expect.stringContaining("max_allowed_packet") as string,
  });
  expect(await backend.append(appendOf("r", 2))).toEqual({ type: "ok" });
  const blob = Buffer.alloc(30 << 20, "blob");
  await backend.putBlob("large", blob);
  expect(Buffer.from((await backend.getBlob("large"))!).equals(blob)).toBe(true);
});
