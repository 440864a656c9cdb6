import assert from "node:assert/strict";
import type { SearchOptions, Store } from "../../model/store.ts";
import { storeOver } from "../../store/store.ts";
import type { ContractCase, Scene } from "../backend-contract/scene.ts";
import { opened } from "./fixtures.ts";

const facts: readonly (readonly [namespace: readonly string[], key: string, value: unknown])[] = [
  [["users"], "count", 3],
  [["users", "ann"], "likes", { text: "Likes green TEA", kind: "taste", score: 0.9, at: new Date(3_000) }],
  [["users", "ann"], "lives", { text: "Lives in Zürich", kind: "place", score: 0.5, at: new Date(1_000) }],
  [["users", "ann", "notes"], "1", { text: "tea on Monday", nested: { deep: ["Green apples"] }, kind: null }],
  [["users", "bob"], "likes", { text: "likes coffee", kind: "taste", score: 7, tags: ["a", { b: 1 }] }],
  [["users2"], "likes", { text: "likes tea", kind: "taste" }],
  [["zoo"], "__proto__", JSON.parse('{"__proto__": 1, "a%": "x", "$gt": 2}')],
];

async function filled(scene: Scene): Promise<Store> {
  const store = storeOver(await opened(scene));
  for (const [namespace, key, value] of facts.toReversed()) await store.put(namespace, key, value);
  return store;
}

async function found(store: Store, prefix: readonly string[], options?: SearchOptions): Promise<string[]> {
  return (await store.search(prefix, options)).map(({ namespace, key }) => [...namespace, key].join("/"));
}

async function allFound(store: Store, cases: readonly (readonly [SearchOptions, readonly string[]])[]): Promise<void> {
  for (const [options, expected] of cases)
    assert.deepEqual(await found(store, [], options), expected, JSON.stringify(options));
}

const ann = "users/ann/likes";
const bob = "users/bob/likes";
const two = "users2/likes";
const zoo = "zoo/__proto__";
const lives = "users/ann/lives";
const note = "users/ann/notes/1";

export const searchCases: readonly ContractCase[] = [
  {
    title: "S13 a prefix finds whole parts, in the order of the places",
    async play(scene) {
      const store = await filled(scene);
      const all = [ann, lives, note, bob, "users/count", two, zoo];
      assert.deepEqual(await found(store, []), all);
      assert.deepEqual(await found(store, ["users"]), all.slice(0, 5));
      assert.deepEqual(await found(store, ["users", "ann"]), [ann, lives, note]);
      assert.deepEqual(await found(store, ["user"]), []);
      assert.deepEqual(await found(store, ["users", "count"]), []);
      assert.deepEqual(await found(store, ["users", "ann", "notes", "1"]), []);
    },
  },
  {
    title: "S13 pages by limit and offset, or behind an item, give everything once",
    async play(scene) {
      const store = await filled(scene);
      const all = await found(store, []);
      const paged: string[] = [];
      for (let offset = 0; offset < 8; offset += 2) paged.push(...(await found(store, [], { limit: 2, offset })));
      assert.deepEqual(paged, all);
      const behind: string[] = [];
      for (let page = await store.search([], { limit: 3 }); page.length > 0;) {
        behind.push(...page.map(({ namespace, key }) => [...namespace, key].join("/")));
        page = await store.search([], { limit: 3, after: page.at(-1)! });
      }
      assert.deepEqual(behind, all);
      assert.deepEqual(await found(store, ["users2"], { after: { namespace: ["a"], key: "b" } }), [two]);
      assert.deepEqual(await found(store, ["users"], { after: { namespace: ["zoo"], key: "b" } }), []);
    },
  },
  {
    title: "S13 filters by equality and by order",
    async play(scene) {
      const store = await filled(scene);
      await allFound(store, [
        [{ filter: { kind: "taste" } }, [ann, bob, two]],
        [{ filter: { kind: "taste", score: 0.9 } }, [ann]],
        [{ filter: { kind: null } }, [note]],
        [{ filter: { tags: ["a", { b: 1 }] } }, [bob]],
        [{ filter: { nested: { deep: ["Green apples"] } } }, [note]],
        [{ filter: { score: { $gt: 0.5 } } }, [ann, bob]],
        [{ filter: { score: { $gte: 0.5, $lt: 7 } } }, [ann, lives]],
        [{ filter: { score: { $lte: 0.5 } } }, [lives]],
        [{ filter: { at: { $lt: new Date(2_000) } } }, [lives]],
        [{ filter: { at: new Date(3_000) } }, [ann]],
        [{ filter: { text: { $gt: "likes" } } }, [note, bob, two]],
        [{ filter: { kind: { $ne: "taste" } } }, [lives, note, "users/count", zoo]],
        [{ filter: { kind: { $in: ["place", null] } } }, [lives, note]],
        [{ filter: { kind: { $in: [] } } }, []],
        [{ filter: {} }, [ann, lives, note, bob, "users/count", two, zoo]],
        [{ filter: { kind: "taste" }, limit: 1, offset: 1 }, [bob]],
      ]);
    },
  },
  {
    title: "S13 fields of filters are data, whatever they are called",
    async play(scene) {
      const store = await filled(scene);
      await allFound(store, [
        [{ filter: JSON.parse('{"__proto__": 1}') as SearchOptions["filter"] }, [zoo]],
        [{ filter: { ["a%"]: "x" } }, [zoo]],
        [{ filter: { $gt: 2 } }, [zoo]],
        [{ filter: { ["a_"]: "x" } }, []],
        [{ filter: { constructor: Object.name } }, []],
        [{ filter: { toString: { $ne: 1 }, kind: "place" } }, [lives]],
        [{ filter: { ["x' OR 1=1 --"]: 1 } }, []],
      ]);
    },
  },
  {
    title: "S13 words of a query are found in texts at any depth, in either case",
    async play(scene) {
      const store = await filled(scene);
      await allFound(store, [
        [{ query: "tea" }, [ann, note, two]],
        [{ query: "GREEN tea" }, [ann, note]],
        [{ query: "zu\u0308rich" }, [lives]],
        [{ query: "ZÜR" }, [lives]],
        [{ query: "%" }, []],
        [{ query: "_" }, []],
        [{ query: "deep" }, []],
        [{ query: " \n" }, [ann, lives, note, bob, "users/count", two, zoo]],
        [{ query: "likes", filter: { kind: "taste" }, limit: 2 }, [ann, bob]],
      ]);
    },
  },
  {
    title: "S13 an entry that has expired is found by no search",
    async play(scene) {
      const store = await filled(scene);
      await store.put(["users", "ann"], "soon", { text: "tea" }, { ttl: 1 });
      const deadline = performance.now() + 20_000;
      while ((await found(store, ["users", "ann"], { query: "tea" })).length > 2)
        assert.ok(performance.now() < deadline, "it did not expire within 20 s");
      assert.deepEqual(await found(store, ["users", "ann"], { query: "tea" }), [ann, note]);
      assert.equal(await store.get(["users", "ann"], "soon"), undefined);
    },
  },
];
