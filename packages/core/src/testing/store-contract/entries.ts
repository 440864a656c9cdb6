import assert from "node:assert/strict";
import type { ContractCase } from "../backend-contract/scene.ts";
import { all, bytes, hex, newEntry, opened, storeOf, text } from "./fixtures.ts";

export const entryCases: readonly ContractCase[] = [
  {
    title: "KV6 what was put is got, byte for byte, also through another handle and after a crash",
    async play(scene) {
      const backend = await scene.open("a");
      const large = new Uint8Array(1 << 20).map((_, i) => (i * 7) & 0xff);
      await storeOf(backend).put(newEntry(text("large"), { bytes: large }));
      await storeOf(backend).put(newEntry(text("small"), { bytes: bytes(0) }));
      const other = await opened(scene, "b");
      assert.ok(Buffer.from(large).equals((await other.get(text("large")))!.bytes));
      await scene.crash(backend);
      const later = await opened(scene, "c");
      assert.equal(hex((await later.get(text("small")))!.bytes), "00");
      assert.ok(Buffer.from(large).equals((await later.get(text("large")))!.bytes));
    },
  },
  {
    title: "what nobody put is undefined, and deleting it is nothing",
    async play(scene) {
      const store = await opened(scene);
      assert.equal(await store.get(text("nothing")), undefined);
      await store.delete(text("nothing"));
      await store.touch(text("nothing"));
      assert.deepEqual(await all(store), []);
      assert.equal(await store.expire(10), 0);
    },
  },
  {
    title: "KV2 a put replaces the entry, its life included, and keeps when it was created",
    async play(scene) {
      const store = await opened(scene);
      await store.put(newEntry(text("k"), { bytes: bytes(1), ttlMs: 3_600_000, refresh: true }));
      const first = (await store.get(text("k")))!;
      assert.equal(first.expiresAt, first.updatedAt + 3_600_000);
      assert.equal(first.refreshMs, 3_600_000);
      assert.equal(first.createdAt, first.updatedAt);
      await store.put(newEntry(text("k"), { bytes: bytes(2) }));
      const second = (await store.get(text("k")))!;
      assert.deepEqual([hex(second.bytes), second.expiresAt, second.refreshMs], ["02", null, null]);
      assert.equal(second.createdAt, first.createdAt);
      assert.ok(second.updatedAt >= first.updatedAt);
    },
  },
  {
    title: "KV2 of puts at one place at once one stands, whole, and those elsewhere all do",
    async play(scene) {
      const stores = [await opened(scene, "a"), await opened(scene, "b")];
      const puts = Array.from({ length: 20 }, (_, i) => {
        const entry = newEntry(text("one"), { bytes: new Uint8Array(1_000).fill(i) });
        return [stores[i % 2]!.put(entry), stores[i % 2]!.put(newEntry(bytes(200, i), { bytes: bytes(i) }))];
      });
      await Promise.all(puts.flat());
      const entry = (await stores[0]!.get(text("one")))!;
      assert.equal(entry.bytes.length, 1_000);
      assert.ok(entry.bytes.every((byte) => byte === entry.bytes[0]));
      assert.equal((await all(stores[1]!)).length, 21);
    },
  },
  {
    title: "KV5 what is done twice is as done once",
    async play(scene) {
      const store = await opened(scene);
      for (let i = 0; i < 2; i++) await store.put(newEntry(text("k"), { bytes: bytes(7) }));
      assert.deepEqual(
        (await all(store)).map((entry) => hex(entry.bytes)),
        ["07"],
      );
      for (let i = 0; i < 2; i++) await store.delete(text("k"));
      assert.deepEqual(await all(store), []);
    },
  },
  {
    title: "an entry is the store's own: changing what went in or came out changes nothing",
    async play(scene) {
      const store = await opened(scene);
      const place = text("k");
      const value = bytes(1, 2);
      const putting = store.put(newEntry(place, { bytes: value }));
      await putting;
      place.fill(0);
      value.fill(0);
      (await store.get(text("k")))!.bytes.fill(9);
      (await all(store))[0]!.bytes.fill(9);
      assert.equal(hex((await store.get(text("k")))!.bytes), "0102");
    },
  },
  {
    title: "the statistics count entries and their bytes, and pruning runs deletes none",
    async play(scene) {
      const backend = await scene.open("a");
      for (const i of [1, 2, 3]) await storeOf(backend).put(newEntry(bytes(i), { bytes: new Uint8Array(10) }));
      const late = 9_999_999_999_999;
      await backend.prune({ endedBefore: late, limit: 100, blobsBefore: late });
      const { entries, entryBytes } = await backend.stats();
      assert.deepEqual([entries, entryBytes], [3, 30]);
      assert.equal((await all(storeOf(backend))).length, 3);
    },
  },
  {
    title: "a backend that is closed refuses every call of its store",
    async play(scene) {
      const backend = await scene.open("a");
      const store = storeOf(backend);
      await backend.close();
      const range = { after: bytes(), before: bytes(255), limit: 1 };
      const calls = [
        () => store.get(bytes(1)),
        () => store.put(newEntry(bytes(1))),
        () => store.delete(bytes(1)),
        () => store.touch(bytes(1)),
        () => store.scan(range),
        () => store.expire(1),
      ];
      for (const call of calls) await assert.rejects(call());
    },
  },
];
