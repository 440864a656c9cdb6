import assert from "node:assert/strict";
import type { Backend } from "../../ports/backend.ts";
import type { Entry, EntryStore, NewEntry } from "../../ports/store.ts";
import type { Scene } from "../backend-contract/scene.ts";

export function storeOf(backend: Backend): EntryStore {
  assert.ok(backend.store !== undefined, "this backend has no store");
  return backend.store;
}

export async function opened(scene: Scene, owner = "a"): Promise<EntryStore> {
  return storeOf(await scene.open(owner));
}

export function bytes(...values: readonly number[]): Uint8Array {
  return new Uint8Array(values);
}

export function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function newEntry(place: Uint8Array, changes: Partial<NewEntry> = {}): NewEntry {
  return { place, bytes: bytes(1, 2, 3), ttlMs: null, refresh: false, ...changes };
}

/** All there is, in order, page by page. */
export async function all(store: EntryStore, limit = 100): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let after = bytes(); ;) {
    const page = await store.scan({ after, before: new Uint8Array(1_100).fill(255), limit });
    assert.ok(page.length <= limit);
    const last = page.at(-1);
    if (last === undefined) return found;
    found.push(...page);
    after = last.place;
  }
}

/** Bytes as a text that can be compared. */
export function hex(value: Uint8Array): string {
  return Buffer.from(value).toString("hex");
}

/** Asks until it is so: what expires does so by the clock of the database. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < deadline, "it did not come to be so within 20 s");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
