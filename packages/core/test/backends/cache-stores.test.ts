import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { memoryCache } from "../../src/index.ts";
import { sqliteCache, type SqliteCache } from "../../src/node/index.ts";
import { cacheStoreContract } from "../../src/testing/index.ts";
import { temporaryFolder } from "../node/temporary-folder.ts";

cacheStoreContract({ name: "memory", create: () => memoryCache() }, { describe, test });

const folders = new WeakMap<object, ReturnType<typeof temporaryFolder>>();
cacheStoreContract(
  {
    name: "sqlite",
    create: () => {
      const folder = temporaryFolder();
      const store = sqliteCache(join(folder.path, "cache.db"));
      folders.set(store, folder);
      return store;
    },
    dispose: (store) => {
      (store as SqliteCache).close();
      folders.get(store)?.remove();
    },
  },
  { describe, test },
);

const bound = { group: "g", max: 1_000 };

test("the memory cache keeps to its bounds over all nodes, in entries and in bytes", () => {
  const few = memoryCache({ entries: 2 });
  for (const key of ["a", "b", "c"]) few.set(key, { value: key, expires: 1 }, { group: key, max: 10 });
  expect(["a", "b", "c"].map((key) => few.get(key) !== undefined)).toEqual([false, true, true]);
  const small = memoryCache({ bytes: 3_000 });
  for (const key of ["a", "b", "c"]) small.set(key, { value: "x".repeat(600), expires: 1 }, bound);
  expect(["a", "b", "c"].map((key) => small.get(key) !== undefined)).toEqual([false, true, true]);
  small.set("b", { value: "x".repeat(10_000), expires: 1 }, bound);
  expect(small.get("b")).toBeUndefined();
  expect(small.get("c")).toBeDefined();
  expect(() => memoryCache({ entries: 0 })).toThrow("entries of memoryCache is 0");
});

test("the sqlite cache is there after a restart, is shared, and keeps to its bound over all nodes", () => {
  const folder = temporaryFolder();
  try {
    const file = join(folder.path, "cache.db");
    using one = sqliteCache(file, { entries: 5 });
    using two = sqliteCache(file, { entries: 5 });
    one.set("k", { value: "v", expires: 7 }, bound);
    expect(two.get("k")).toEqual({ value: "v", expires: 7 });
    for (let i = 0; i < 101; i++) two.set(`k${i}`, { value: "v", expires: 7 }, { group: String(i), max: 10 });
    expect(two.get("k")).toBeUndefined();
    expect(two.get("k100")).toBeDefined();
    expect(() => sqliteCache(file, { entries: -1 })).toThrow("entries of sqliteCache is -1");
  } finally {
    folder.remove();
  }
});
