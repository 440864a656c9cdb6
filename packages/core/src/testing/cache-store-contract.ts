import assert from "node:assert/strict";

import type { CacheStore } from "../ports/cache-store.ts";
import type { TestFunctions } from "./backend-contract.ts";

export interface CacheStoreContract {
  /** Stands in the titles: `sqlite`, `memory`. */
  readonly name: string;
  /** A store that nobody has used yet; called once per case. It must have room for 100 short entries. */
  create(): CacheStore | Promise<CacheStore>;
  /** Called after each case. */
  dispose?(store: CacheStore): void | Promise<void>;
}

type Play = (store: CacheStore) => Promise<void>;

/**
 * The contract of `CacheStore` (C1–C3) as tests, for any store and any test runner.
 *
 * @example
 * import { describe, test } from "vitest";
 * cacheStoreContract({ name: "mine", create: () => new MyStore() }, { describe, test });
 */
export function cacheStoreContract(contract: CacheStoreContract, { describe, test }: TestFunctions): void {
  describe(`cache store contract: ${contract.name}`, () => {
    for (const [title, play] of Object.entries(cases)) {
      test(title, async () => {
        const store = await contract.create();
        try {
          await play(store);
        } finally {
          await contract.dispose?.(store);
        }
      });
    }
  });
}

const wide = { group: "g", max: 1_000 };

const cases: Readonly<Record<string, Play>> = {
  "C1 what was set is got, to the last character and millisecond": async (store) => {
    const odd = { value: '{"$t":"\\u0000 \\ud800 é 🌊"}', expires: 1_767_225_600_123.5 };
    await store.set("k", odd, wide);
    assert.deepEqual(await store.get("k"), odd);
    const large = { value: "x".repeat(1 << 20), expires: 1 };
    await store.set("large", large, wide);
    assert.deepEqual(await store.get("large"), large);
  },
  "C1 what nobody set is undefined, whatever it is called": async (store) => {
    for (const key of ["nothing", "__proto__", "constructor", ""]) assert.equal(await store.get(key), undefined);
  },
  "C1 keys that differ only in case or at their end are two": async (store) => {
    for (const key of ["a", "A", "a ", "ab"]) await store.set(key, { value: key, expires: 1 }, wide);
    for (const key of ["a", "A", "a ", "ab"]) assert.equal((await store.get(key))?.value, key);
  },
  "C1 the last set counts, and what is deleted is gone": async (store) => {
    await store.set("k", { value: "1", expires: 1 }, wide);
    await store.set("k", { value: "2", expires: 2 }, wide);
    assert.deepEqual(await store.get("k"), { value: "2", expires: 2 });
    await store.delete("k");
    await store.delete("k");
    assert.equal(await store.get("k"), undefined);
  },
  "C2 a group keeps no more than its bound, and loses what was used least recently": async (store) => {
    const bound = { group: "g", max: 3 };
    for (const key of ["a", "b", "c"]) await store.set(key, { value: key, expires: 1 }, bound);
    await store.get("a");
    await store.set("d", { value: "d", expires: 1 }, bound);
    const kept = await Promise.all(["a", "b", "c", "d"].map(async (key) => (await store.get(key)) !== undefined));
    assert.deepEqual(kept, [true, false, true, true]);
  },
  "C2 writing one key again and again displaces nothing": async (store) => {
    const bound = { group: "g", max: 2 };
    await store.set("stays", { value: "s", expires: 1 }, bound);
    for (let i = 0; i < 10; i++) await store.set("again", { value: String(i), expires: 1 }, bound);
    assert.equal((await store.get("stays"))?.value, "s");
    assert.equal((await store.get("again"))?.value, "9");
  },
  "C2 groups do not displace each other": async (store) => {
    for (let i = 0; i < 50; i++) await store.set(`a${i}`, { value: "", expires: 1 }, { group: "a", max: 2 });
    await store.set("b", { value: "b", expires: 1 }, { group: "b", max: 2 });
    for (let i = 0; i < 40; i++) await store.set(`a${i}`, { value: "", expires: 1 }, { group: "a", max: 2 });
    assert.equal((await store.get("b"))?.value, "b");
  },
};
