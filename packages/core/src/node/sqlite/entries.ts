import type { Entry, EntryRange, EntryStore, NewEntry } from "../../ports/store.ts";
import type { Channel } from "./channel.ts";
import { concat } from "./concat.ts";

/** The entries of the store in the file of the handle; `open` gives the channel, or throws when there is none. */
export class SqliteEntries implements EntryStore {
  readonly #open: () => Channel;

  constructor(open: () => Channel) {
    this.#open = open;
  }

  async get(place: Uint8Array): Promise<Entry | undefined> {
    return this.#open().ask("getEntry", undefined, copyOf(place));
  }

  async put({ place, bytes, ttlMs, refresh }: NewEntry): Promise<void> {
    const both = concat([place, bytes], place.byteLength + bytes.byteLength);
    await this.#open().ask("writeEntry", { type: "put", placeLength: place.byteLength, ttlMs, refresh }, both);
  }

  async delete(place: Uint8Array): Promise<void> {
    await this.#open().ask("writeEntry", { type: "delete" }, copyOf(place));
  }

  async touch(place: Uint8Array): Promise<void> {
    await this.#open().ask("writeEntry", { type: "touch" }, copyOf(place));
  }

  async scan({ after, before, limit }: EntryRange): Promise<Entry[]> {
    const both = concat([after, before], after.byteLength + before.byteLength);
    return this.#open().ask("scanEntries", { afterLength: after.byteLength, limit }, both);
  }

  async expire(limit: number): Promise<number> {
    return this.#open().ask("expireEntries", { limit });
  }
}

/** The channel keeps what it is given until the end of the tick. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
