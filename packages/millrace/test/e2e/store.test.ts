/** Commands that look into the store: the real program over a real file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openEngine, storePut } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import { type Finished, hasStack, millrace, temporaryFolder } from "./cli.ts";

const folder = temporaryFolder();
const db = "store.db";
const call = (...args: string[]): Promise<Finished> => millrace(["store", ...args, "--db", db], { cwd: folder });
const json = (finished: Finished): unknown => JSON.parse(finished.stdout) as unknown;

test("R21 what runs put is read, searched, replaced and deleted from the command line, and the other way round", async () => {
  const engine = await openEngine({ backend: sqlite(join(folder, db)) });
  await engine.run(storePut, { namespace: ["users", "ann"], key: "profile", value: { language: "de", visits: 3 } });
  await engine.run(storePut, { namespace: ["users", "bob"], key: "profile", value: { language: "en", note: "Tea" } });

  const got = await call("get", "users/ann", "profile");
  expect([got.code, json(got), got.stderr]).toEqual([0, { language: "de", visits: 3 }, ""]);
  const put = await call("put", "users/ann", "profile", '{"language":"fr"}', "--ttl", "30d", "--refresh");
  expect([put.code, put.stdout]).toEqual([0, ""]);
  expect(put.stderr).toMatch(/^put users\/ann "profile", until \d{4}-\S+Z\n$/);
  expect(json(await call("get", "users/ann", "profile", "--json"))).toMatchObject({
    namespace: ["users", "ann"],
    key: "profile",
    value: { language: "fr" },
    expiresAt: expect.stringMatching(/Z$/),
  });

  const listed = await call("search", "users");
  expect(listed.stdout).toMatch(
    /^NAMESPACE +KEY +UPDATED \(UTC\) +EXPIRES \(UTC\) +VALUE\nusers\/ann +profile +\S+ \S+ +\S+ \S+ +\{"language":"fr"\}\nusers\/bob +profile +\S+ \S+ +\{"language":"en","note":"Tea"\}\n$/,
  );
  const searched = await call("search", "users", "--query", "TEA", "--filter", '{"language":{"$in":["en"]}}', "--json");
  expect(json(searched)).toMatchObject({ items: [{ namespace: ["users", "bob"] }], more: false });
  const first = await call("search", "--limit", "1");
  expect(first.stdout.split("\n")).toHaveLength(3);
  expect(first.stderr).toContain("more than 1 entries");
  expect((await call("search", "nobody")).stderr).toBe("no entries of nobody in store.db\n");

  const deleted = await call("delete", "users/bob", "profile");
  expect([deleted.code, deleted.stderr]).toEqual([0, 'deleted users/bob "profile"\n']);
  await engine.close();
  const gone = await call("get", "users/bob", "profile");
  expect([gone.code, gone.stdout, hasStack(gone.stderr)]).toEqual([3, "", false]);
  expect(gone.stderr).toContain("store search users/bob --db store.db lists what is there");
  expect((await call("delete", "users/bob", "profile", "--json")).code).toBe(3);
}, 60_000);

test("S13 places and values of any characters go in and come out as they are", async () => {
  const value = { "__proto__ ": 1, text: "a\u0000b 🌊 %_'\"" };
  writeFileSync(join(folder, "value.json"), JSON.stringify(value));
  const namespace = '["a/b","%_\'","🌊"]';
  expect((await call("put", namespace, "k\n'", "@value.json")).code).toBe(0);
  expect(json(await call("get", namespace, "k\n'"))).toEqual(value);
  expect(json(await call("search", '["a/b"]', "--json"))).toMatchObject({
    items: [{ namespace: ["a/b", "%_'", "🌊"], key: "k\n'", value }],
  });
  expect((await call("search", '["a/b"]')).stdout).toContain(`["a/b","%_'","🌊"]`);
}, 60_000);

test.each<[string, string[], string]>([
  ["a namespace that is no list", ["get", '["a', "k"], "is no list of texts"],
  ["no namespace", ["get", "", "k"], "needs a namespace of at least one part"],
  ["an empty part", ["get", "a//b", "k"], "part 2 of the namespace is empty"],
  ["a value that is no JSON", ["put", "a", "k", "{no"], "the value from the command line is not JSON"],
  ["refresh without ttl", ["put", "a", "k", "1", "--refresh"], "needs a ttl"],
  ["a filter that is no object", ["search", "--filter", "[1]"], "the filter of a search is an object of fields"],
  ["a condition that is none", ["search", "--filter", '{"a":{"$gtt":1}}'], 'did you mean "$gt"?'],
])(
  "%s is refused with exit code 2, in a sentence",
  async (_what, args, message) => {
    const refused = await call(...args);
    expect([refused.code, refused.stdout, hasStack(refused.stderr)]).toEqual([2, "", false]);
    expect(refused.stderr).toContain(message);
  },
  60_000,
);

test("db stats counts the store, and db prune deletes of it what has expired", async () => {
  const care = (...args: string[]): Promise<Finished> => millrace(["db", ...args, "--db", "care.db"], { cwd: folder });
  const put = (...args: string[]): Promise<Finished> =>
    millrace(["store", "put", ...args, "--db", "care.db"], { cwd: folder });
  await put("a", "stays", "[1,2]");
  await put("a", "short", "1", "--ttl", "1ms");
  expect((await care("stats")).stdout).toMatch(/^store {4}2 entries, 6 B$/m);
  const pruned = await care("prune", "--older-than", "30d", "--yes");
  expect(pruned.stdout).toMatch(/and 0 blobs, and of the store 1 that had expired\n$/);
  expect(json(await care("stats", "--json"))).toMatchObject({ entries: 1, entryBytes: 5 });
  expect(json(await care("prune", "--older-than", "30d", "--yes", "--json"))).toMatchObject({ entries: 0 });
}, 60_000);
