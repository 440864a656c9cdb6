import assert from "node:assert/strict";
import { storeOver } from "../../store/store.ts";
import type { ContractCase } from "../backend-contract/scene.ts";
import { all, bytes, hex, newEntry, opened } from "./fixtures.ts";

/** What databases take for something else than itself. */
const hostile: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "'; DROP TABLE millrace_entries; --",
  '"',
  "`",
  "\\",
  "%",
  "_",
  "a%",
  "a_",
  "*",
  "?",
  "$1",
  ":key",
  "null",
  "\0",
  "a\0",
  "a\0b",
  "\u0001",
  "\ufeff",
  "a",
  "A",
  "a ",
  " a",
  "a.b",
  "a/b",
  "\n",
  "é",
  "e\u0301",
  "ß",
  "SS",
  "ı",
  "İ",
  "🌊",
  "\uffff",
  "\u{10ffff}",
  "日本",
  "x".repeat(256),
];

/** By code point, as UTF-8 is ordered; texts of JavaScript are not, beyond U+FFFF. */
function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export const placeCases: readonly ContractCase[] = [
  {
    title: "KV1 places are ordered as unsigned bytes, a shorter one first, and differ when any byte does",
    async play(scene) {
      const store = await opened(scene);
      const places = [
        bytes(0),
        bytes(0, 0),
        bytes(0, 255),
        bytes(1),
        bytes(32),
        bytes(65),
        bytes(65, 0),
        bytes(65, 32),
        bytes(97),
        bytes(97, 32),
        bytes(97, 32, 32),
        bytes(127),
        bytes(128),
        bytes(195, 169),
        bytes(255),
        bytes(255, 0),
        bytes(255, 255),
      ];
      for (const place of places.toReversed()) await store.put(newEntry(place, { bytes: place }));
      for (const limit of [1, 3, 100]) {
        const found = await all(store, limit);
        assert.deepEqual(
          found.map(({ place }) => hex(place)),
          places.map(hex),
        );
        assert.deepEqual(
          found.map((entry) => hex(entry.bytes)),
          places.map(hex),
        );
      }
      for (const place of places) assert.equal(hex((await store.get(place))!.bytes), hex(place));
    },
  },
  {
    title: "KV1 a place may be 1,024 bytes long, and two that differ in the last one are two",
    async play(scene) {
      const store = await opened(scene);
      const ends = [1, 2].map((last) => new Uint8Array(1_024).fill(7).with(1_023, last));
      for (const place of ends) await store.put(newEntry(place, { bytes: bytes(place[1_023]!) }));
      for (const place of ends) assert.equal(hex((await store.get(place))!.bytes), hex(bytes(place[1_023]!)));
    },
  },
  {
    title: "KV4 a scan leaves both its ends out",
    async play(scene) {
      const store = await opened(scene);
      for (const i of [1, 2, 3, 4]) await store.put(newEntry(bytes(i)));
      const between = async (after: Uint8Array, before: Uint8Array, limit = 10): Promise<string[]> =>
        (await store.scan({ after, before, limit })).map(({ place }) => hex(place));
      assert.deepEqual(await between(bytes(1), bytes(4)), ["02", "03"]);
      assert.deepEqual(await between(bytes(), bytes(2, 0)), ["01", "02"]);
      assert.deepEqual(await between(bytes(), bytes(255), 0), []);
      assert.deepEqual(await between(bytes(4), bytes(4)), []);
      assert.deepEqual(await between(bytes(4), bytes(1)), []);
    },
  },
  {
    title: "KV4 pages of large entries are short, and none is left out",
    async play(scene) {
      const store = await opened(scene);
      for (let i = 1; i <= 6; i++) await store.put(newEntry(bytes(i), { bytes: new Uint8Array(700_000).fill(i) }));
      const page = await store.scan({ after: bytes(), before: bytes(255), limit: 100 });
      assert.ok(page.length >= 1 && page.length < 6, `${page.length} entries of 700 kB in one page`);
      const found = await all(store);
      assert.deepEqual(
        found.map((entry) => [entry.bytes.length, entry.bytes[699_999]]),
        [1, 2, 3, 4, 5, 6].map((i) => [700_000, i]),
      );
    },
  },
  {
    title: "S13 keys and parts of namespaces are data, whatever they hold",
    async play(scene) {
      const store = storeOver(await opened(scene));
      for (const word of hostile) {
        await store.put(["hostile"], word, { word });
        await store.put(["parts", word], "k", { word });
      }
      for (const word of hostile) {
        const item = await store.get(["hostile"], word);
        assert.deepEqual([item?.key, item?.value], [word, { word }]);
        assert.deepEqual(
          (await store.search(["parts", word])).map(({ value }) => value),
          [{ word }],
        );
      }
      const found = await store.search(["hostile"], { limit: 1_000 });
      assert.deepEqual(
        found.map(({ key }) => key),
        hostile.toSorted(byCodePoint),
      );
      const parts = await store.search(["parts"], { limit: 1_000 });
      assert.deepEqual(
        parts.map(({ namespace }) => namespace[1]),
        hostile.toSorted(byCodePoint),
      );
      for (const word of hostile) await store.delete(["hostile"], word);
      assert.deepEqual(await store.search(["hostile"]), []);
      assert.equal((await store.search(["parts"], { limit: 1_000 })).length, hostile.length);
    },
  },
];
