import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { storeOver, type Backend, type Store } from "../../../src/index.ts";
import { encrypted, sqlite } from "../../../src/node/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: ReturnType<typeof temporaryFolder>;
const opened: Backend[] = [];
beforeEach(() => (folder = temporaryFolder()));
afterEach(async () => {
  for (const backend of opened.splice(0)) await backend.close();
  folder.remove();
});

async function open(...keys: readonly Uint8Array[]): Promise<Store> {
  const plain = sqlite(join(folder.path, "runs.db"));
  const backend = keys.length === 0 ? plain : encrypted(plain, { keys });
  await backend.open(`owner-${opened.push(backend)}`);
  return storeOver(backend.store!);
}

test("E1 no byte of a value is in the file, and namespaces and keys are", async () => {
  const store = await open(randomBytes(32));
  await store.put(["users", "ann"], "favourite", { text: "canary likes tea", canaryField: 1 });
  expect((await store.search(["users"], { query: "CANARY", filter: { canaryField: 1 } }))[0]?.key).toBe("favourite");
  const files = readdirSync(folder.path, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = Buffer.concat(files.map(({ name }) => readFileSync(join(folder.path, name))));
  expect(bytes.includes("favourite")).toBe(true);
  expect(bytes.includes("canary")).toBe(false);
});

test("E2 a value that was moved to another place, or changed, is refused, and others are read on", async () => {
  const store = await open(randomBytes(32));
  for (const user of ["ann", "bob", "eve"])
    await store.put(["users", user], "role", user === "ann" ? "admin" : "guest");
  const sql = new DatabaseSync(join(folder.path, "runs.db"));
  sql.exec(`UPDATE millrace_entries SET bytes = (SELECT bytes FROM millrace_entries WHERE n = 1) WHERE n = 2`);
  sql.close();
  await expect(store.get(["users", "bob"], "role")).rejects.toMatchObject({ code: "DecryptionFailed" });
  await expect(store.search(["users"])).rejects.toMatchObject({ code: "DecryptionFailed" });
  expect((await store.get(["users", "ann"], "role"))?.value).toBe("admin");
  expect((await store.get(["users", "eve"], "role"))?.value).toBe("guest");
});

test("other keys, none, and values from before there was encryption are told apart", async () => {
  const key = randomBytes(32);
  await (await open()).put(["plain"], "k", 1);
  const store = await open(key);
  await store.put(["sealed"], "k", 2);
  await expect(store.get(["plain"], "k")).rejects.toMatchObject({ code: "NotEncrypted" });
  await expect((await open(randomBytes(32))).get(["sealed"], "k")).rejects.toMatchObject({
    code: "EncryptionKeyMissing",
  });
  await expect((await open()).get(["sealed"], "k")).rejects.toMatchObject({ code: "EncryptionKeyMissing" });
  expect((await (await open(randomBytes(32), key)).get(["sealed"], "k"))?.value).toBe(2);
});
