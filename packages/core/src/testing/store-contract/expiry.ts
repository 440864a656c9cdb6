import assert from "node:assert/strict";
import type { ContractCase } from "../backend-contract/scene.ts";
import { all, bytes, hex, newEntry, opened, text, until } from "./fixtures.ts";

export const expiryCases: readonly ContractCase[] = [
  {
    title: "KV3 S13 an entry whose time has come is not there for a get and a scan, long before it is deleted",
    async play(scene) {
      const store = await opened(scene);
      await store.put(newEntry(text("stays")));
      await store.put(newEntry(text("long"), { ttlMs: 3_600_000 }));
      await store.put(newEntry(text("short"), { ttlMs: 1 }));
      await until(async () => (await store.get(text("short"))) === undefined);
      const places = (await all(store)).map(({ place }) => hex(place));
      assert.deepEqual(places, [hex(text("long")), hex(text("stays"))]);
      assert.equal(await store.expire(10), 1);
      assert.equal(await store.expire(10), 0);
      assert.equal((await all(store)).length, 2);
    },
  },
  {
    title: "KV3 a put over an entry that has expired is the first one, and a touch does not bring it back",
    async play(scene) {
      const store = await opened(scene);
      await store.put(newEntry(text("k"), { ttlMs: 1, refresh: true, bytes: bytes(1) }));
      await until(async () => (await store.get(text("k"))) === undefined);
      await store.touch(text("k"));
      assert.equal(await store.get(text("k")), undefined);
      await store.put(newEntry(text("k"), { bytes: bytes(2) }));
      const entry = (await store.get(text("k")))!;
      assert.deepEqual([hex(entry.bytes), entry.expiresAt], ["02", null]);
      assert.equal(entry.createdAt, entry.updatedAt);
      assert.equal(await store.expire(10), 0);
    },
  },
  {
    title: "a touch lets an entry that asked for it live for its whole time again, and no other",
    async play(scene) {
      const store = await opened(scene);
      await store.put(newEntry(text("asked"), { ttlMs: 3_600_000, refresh: true }));
      await store.put(newEntry(text("not"), { ttlMs: 3_600_000 }));
      await store.put(newEntry(text("stays")));
      const before = (await store.get(text("asked")))!;
      const others = await Promise.all([store.get(text("not")), store.get(text("stays"))]);
      await until(async () => {
        await store.touch(text("asked"));
        return (await store.get(text("asked")))!.expiresAt! > before.expiresAt!;
      });
      for (const place of ["not", "stays"]) await store.touch(text(place));
      assert.deepEqual(await Promise.all([store.get(text("not")), store.get(text("stays"))]), others);
      const after = (await store.get(text("asked")))!;
      assert.deepEqual([after.createdAt, after.updatedAt], [before.createdAt, before.updatedAt]);
    },
  },
  {
    title: "B11 what has expired is deleted in portions",
    async play(scene) {
      const store = await opened(scene);
      for (let i = 0; i < 5; i++) await store.put(newEntry(bytes(i + 1), { ttlMs: 1 }));
      await store.put(newEntry(bytes(9)));
      await until(async () => (await all(store)).length === 1);
      assert.deepEqual([await store.expire(0), await store.expire(2), await store.expire(2)], [0, 2, 2]);
      assert.deepEqual([await store.expire(2), await store.expire(2)], [1, 0]);
      assert.equal((await all(store)).length, 1);
    },
  },
];
