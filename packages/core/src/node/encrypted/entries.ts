import type { Entry, EntryRange, EntryStore, NewEntry } from "../../ports/store.ts";
import type { Place } from "./seal.ts";
import { damagedRecord, type Vault } from "./vault.ts";

/**
 * E1, E2: what entries of the store hold is encrypted at their places; the places themselves are not, because the database finds
 * entries and the range of a search by them.
 */
export class EncryptedEntries implements EntryStore {
  readonly #inner: EntryStore;
  readonly #vault: Vault;

  constructor(inner: EntryStore, vault: Vault) {
    this.#inner = inner;
    this.#vault = vault;
  }

  async get(place: Uint8Array): Promise<Entry | undefined> {
    const entry = await this.#inner.get(place);
    return entry === undefined ? undefined : this.#opened(entry);
  }

  async put(entry: NewEntry): Promise<void> {
    await this.#inner.put({ ...entry, bytes: this.#vault.seal(placeOf(entry.place), entry.bytes) });
  }

  delete(place: Uint8Array): Promise<void> {
    return this.#inner.delete(place);
  }

  touch(place: Uint8Array): Promise<void> {
    return this.#inner.touch(place);
  }

  async scan(range: EntryRange): Promise<Entry[]> {
    return (await this.#inner.scan(range)).map((entry) => this.#opened(entry));
  }

  expire(limit: number): Promise<number> {
    return this.#inner.expire(limit);
  }

  /** @throws MillraceError `DecryptionFailed`, `EncryptionKeyMissing`, `NotEncrypted` */
  #opened(entry: Entry): Entry {
    const what = `the entry ${Buffer.from(entry.place).toString("hex")} of the store`;
    return { ...entry, bytes: this.#vault.open(placeOf(entry.place), entry.bytes, what, damagedRecord) };
  }
}

function placeOf(place: Uint8Array): Place {
  return ["entry", Buffer.from(place).toString("hex")];
}
