import { scanBytes, type Entry, type EntryRange, type EntryStore, type NewEntry } from "../../ports/store.ts";
import type { PatientCalls } from "./calls.ts";

/** Entries of the store on a server. KV5: whatever was lost on its way is done again. `open` throws while there is no connection. */
export class ServerEntries implements EntryStore {
  readonly #open: () => PatientCalls;

  constructor(open: () => PatientCalls) {
    this.#open = open;
  }

  async get(place: Uint8Array): Promise<Entry | undefined> {
    return this.#attempt((calls) => calls.findEntry(place));
  }

  async put(entry: NewEntry): Promise<void> {
    const own = { ...entry, place: new Uint8Array(entry.place), bytes: new Uint8Array(entry.bytes) };
    await this.#attempt((calls) => calls.putEntry(own));
  }

  async delete(place: Uint8Array): Promise<void> {
    await this.#attempt((calls) => calls.deleteEntry(place));
  }

  async touch(place: Uint8Array): Promise<void> {
    await this.#attempt((calls) => calls.touchEntry(place));
  }

  async scan(range: EntryRange): Promise<Entry[]> {
    return this.#attempt((calls) => calls.scanEntries({ ...range, limit: Math.max(0, range.limit) }, scanBytes));
  }

  async expire(limit: number): Promise<number> {
    return this.#attempt((calls) => calls.expireEntries(Math.max(0, limit)));
  }

  #attempt<Result>(work: (calls: PatientCalls) => Promise<Result>): Promise<Result> {
    const calls = this.#open();
    return calls.attempt(() => work(calls));
  }
}
