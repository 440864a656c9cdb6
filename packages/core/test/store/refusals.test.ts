import { expect, test } from "vitest";
import { memory, memoryStore, secret, storeOver, type Namespace, type SearchOptions } from "../../src/index.ts";

const store = memoryStore();

async function refusal(call: () => Promise<unknown>): Promise<string> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason as { code: string; message: string },
  );
  return error === undefined ? "not refused" : `${error.code} ${error.message}`;
}

test.each<[string, unknown, unknown, string]>([
  ["no list", "users", "k", 'a list of texts, not "users"'],
  ["an empty list", [], "k", "at least one part"],
  ["17 parts", new Array(17).fill("a"), "k", "at most 16 parts, and this one has 17"],
  ["a number in it", ["a", 7], "k", "part 2 of the namespace must be a text, not number"],
  // oxlint-disable-next-line no-sparse-arrays -- a hole is what it is about
  ["a hole in it", [, "a"], "k", "part 1 of the namespace must be a text, not undefined"],
  ["an empty part", ["a", ""], "k", "part 2 of the namespace is empty"],
  ["half a surrogate pair", ["a\ud800"], "k", "not well-formed Unicode"],
  ["a part of 257 bytes", ["é".repeat(129)], "k", "longer than 256 bytes"],
  ["no key", ["a"], undefined, "the key must be a text, not undefined"],
  ["an empty key", ["a"], "", "the key is empty"],
  ["a long key", ["a"], "x".repeat(257), "the key is longer than 256 bytes"],
  ["1,025 bytes together", new Array(4).fill("x".repeat(255)), "k", "bytes together, and may be 1024"],
])(
  "InvalidStorePlace: %s is refused by get, put, delete and what a search goes on behind",
  async (_what, namespace, key, message) => {
    const place = { namespace: namespace as Namespace, key: key as string };
    const calls = [
      () => store.get(place.namespace, place.key),
      () => store.put(place.namespace, place.key, 1),
      () => store.delete(place.namespace, place.key),
      () => store.search(["a"], { after: place }),
    ];
    for (const call of calls) expect(await refusal(call)).toMatch(/^InvalidStorePlace /);
    expect(await refusal(calls[0]!)).toContain(message);
  },
);

test("16 parts and places of 1,024 bytes are taken", async () => {
  const parts = new Array(16).fill("p");
  await store.put(parts, "k", 1);
  expect((await store.search(parts))[0]).toMatchObject({ namespace: parts, key: "k", value: 1 });
  const long = new Array(3).fill("x".repeat(256));
  await store.put(long, "y".repeat(252), 2);
  expect((await store.get(long, "y".repeat(252)))?.value).toBe(2);
});

test.each<[string, SearchOptions, string]>([
  ["a filter that is no object", { filter: [] as never }, "InvalidStoreSearch the filter of a search is an object"],
  ["conditions and fields mixed", { filter: { a: { $gt: 1, b: 2 } } }, 'field "a" has conditions and "b"'],
  ["a misspelt condition", { filter: { a: { $gtt: 1 } } }, 'has no condition "$gtt"; did you mean "$gt"?'],
  ["an inherited condition", { filter: { a: { $constructor: 1 } } }, 'has no condition "$constructor"'],
  ["$in without a list", { filter: { a: { $in: "x" as never } } }, '$in of field "a" takes a list'],
  ["an undefined field", { filter: { a: undefined } }, 'the filter of field "a" is undefined'],
  ["an undefined condition", { filter: { a: { $ne: undefined } } }, 'the filter of field "a" is undefined'],
  ["an order of objects", { filter: { a: { $lt: {} as never } } }, "has no order"],
  ["an order of NaN", { filter: { a: { $lt: Number.NaN } } }, "has no order"],
  ["a function", { filter: { a: () => 1 } }, "Unencodable filter.a: function"],
  ["a query that is no text", { query: 7 as never }, "a text of at most 1024 characters"],
  ["a long query", { query: "x".repeat(1_025) }, "a text of at most 1024 characters"],
  ["limit 0", { limit: 0 }, "limit of a search is a whole number from 1 to 1000, not 0"],
  ["limit 1,001", { limit: 1_001 }, "limit of a search"],
  ["half a limit", { limit: 1.5 }, "limit of a search"],
  ["a negative offset", { offset: -1 }, "offset of a search"],
  ["an option that is none", { fliter: {} } as never, 'store.search has no option "fliter"; did you mean "filter"?'],
])("InvalidStoreSearch: %s is refused, with what there is", async (_what, options, message) => {
  expect(await refusal(() => store.search([], options))).toContain(message);
});

test.each<[string, unknown, string]>([
  ["undefined", undefined, 'InvalidStoreValue the value of ["a"] "k" is undefined'],
  ["a function in it", { user: { onClick: () => 1 } }, "Unencodable value.user.onClick: function"],
  ["a secret", { key: secret("abcdef") }, "Unencodable value.key"],
  ["more than 1 MiB", "x".repeat(1 << 20), 'InvalidStoreValue the value of ["a"] "k" is 1048578 bytes long'],
])("a value that is %s is refused, and what was there stays", async (_what, value, message) => {
  await store.put(["a"], "k", "before");
  expect(await refusal(() => store.put(["a"], "k", value))).toContain(message);
  expect((await store.get(["a"], "k"))?.value).toBe("before");
});

test.each<[string, object, string]>([
  ["0", { ttl: 0 }, "between 1 ms and 36500d"],
  ["more than a century", { ttl: "36501d" }, "between 1 ms and 36500d"],
  ["no duration", { ttl: "soon" }, "InvalidDuration"],
  ["refresh without ttl", { refresh: true }, "needs a ttl"],
  ["refresh that is no boolean", { ttl: "1d", refresh: 1 }, "true or false"],
  ["an option that is none", { tll: "1d" }, 'store.put has no option "tll"; did you mean "ttl"?'],
])("a put with a life of %s is refused", async (_what, options, message) => {
  expect(await refusal(() => store.put(["a"], "life", 1, options))).toContain(message);
  expect(await store.get(["a"], "life")).toBeUndefined();
});

test("values come back as what an op may return does, and are the reader's own", async () => {
  const value = {
    at: new Date(7),
    big: 7n,
    map: new Map([["a", new Set([1])]]),
    bytes: new Uint8Array([1]),
    no: undefined,
  };
  await store.put(["values"], "k", value);
  const item = (await store.get<typeof value>(["values"], "k"))!;
  expect(item.value).toEqual(value);
  expect(item.expiresAt).toBeUndefined();
  item.value.map.clear();
  expect((await store.get<typeof value>(["values"], "k"))?.value.map.size).toBe(1);
  expect(await store.search(["values"], { filter: { big: 7n, map: value.map } })).toHaveLength(1);
});

test("StoreEntryCorrupt: an entry that something else wrote is told by its place", async () => {
  const backend = memory();
  await backend.open("a");
  const over = storeOver(backend.store!);
  await over.put(["a"], "k", 1);
  const [entry] = await backend.store!.scan({ after: new Uint8Array(), before: new Uint8Array([255]), limit: 1 });
  for (const bytes of [[0xc3, 0x28], [0x7b]]) {
    await backend.store!.put({ place: entry!.place, bytes: new Uint8Array(bytes), ttlMs: null, refresh: false });
    expect(await refusal(() => over.get(["a"], "k"))).toContain(
      'StoreEntryCorrupt ["a"] "k" of the store cannot be read',
    );
  }
  await over.delete(["a"], "k");
  expect(await over.search([])).toEqual([]);
});

test("StoreSearchTooWide: a search that looked through 100,000 entries is refused, not cut off", async () => {
  const backend = memory();
  await backend.open("a");
  const over = storeOver(backend.store!);
  for (let i = 0; i < 100_000; i++) await over.put(["many"], String(i).padStart(6, "0"), { i });
  expect(await over.search(["many"], { filter: { i: { $gte: 99_999 } }, limit: 5 })).toHaveLength(1);
  await over.put(["many"], "x", {});
  expect(await refusal(() => over.search(["many"], { filter: { i: -1 } }))).toContain("StoreSearchTooWide");
  expect(await over.search(["many"], { filter: { i: 70_000 }, limit: 1 })).toHaveLength(1);
  expect(await over.search(["many"], { filter: { i: -1 }, after: { namespace: ["many"], key: "050000" } })).toEqual([]);
}, 60_000);

test("what has expired is deleted behind later puts, though nobody prunes", async () => {
  const backend = memory();
  await backend.open("a");
  const over = storeOver(backend.store!);
  for (let i = 0; i < 40; i++) await over.put(["short"], `k${i}`, i, { ttl: 1 });
  while ((await over.search(["short"])).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  expect((await backend.stats()).entries).toBe(40);
  for (let i = 0; i < 24; i++) await over.put(["long"], `k${i}`, i, { ttl: "1d" });
  expect((await backend.stats()).entries).toBe(24);
});

test("a get lets what asked for it live on; a search does not", async () => {
  const over = memoryStore();
  await over.put(["a"], "k", 1, { ttl: "1h", refresh: true });
  const ends = async (): Promise<number | undefined> => (await over.get(["a"], "k"))?.expiresAt;
  const first = await ends();
  while ((await ends()) === first) await new Promise((resolve) => setTimeout(resolve, 1));
  await over.get(["a"], "k");
  const [found] = await over.search(["a"]);
  await new Promise((resolve) => setTimeout(resolve, 3));
  expect((await over.search(["a"]))[0]!.expiresAt).toBe(found!.expiresAt);
});
