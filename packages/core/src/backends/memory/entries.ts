import type { Entry, EntryRange, EntryStore, NewEntry } from "../../ports/store.ts";
import { scanBytes } from "../../ports/store.ts";
import { systemClock } from "../../ports/system.ts";
import { copyBytes, newEntries, type Entries } from "./store.ts";

/** `check` is called first thing, and throws when nothing may be asked. */
export function memoryEntries(entries: Entries = newEntries(), check: () => void = () => undefined): EntryStore {
  return new MemoryEntries(entries, check);
}

class MemoryEntries implements EntryStore {
  readonly #entries: Entries;
  readonly #check: () => void;

  constructor(entries: Entries, check: () => void) {
    this.#entries = entries;
    this.#check = check;
  }

  async get(place: Uint8Array): Promise<Entry | undefined> {
    this.#check();
    const entry = this.#live(keyOf(place));
    return entry === undefined ? undefined : copyOf(entry);
  }

  async put({ place, bytes, ttlMs, refresh }: NewEntry): Promise<void> {
    this.#check();
    const now = systemClock.now();
    const key = keyOf(place);
    const createdAt = this.#live(key)?.createdAt ?? now;
    const expiresAt = ttlMs === null ? null : now + ttlMs;
    const { byPlace, places } = this.#entries;
    if (!byPlace.has(key)) places.splice(indexOf(places, key), 0, key);
    const entry = { place: copyBytes(place), bytes: copyBytes(bytes), createdAt, updatedAt: now };
    byPlace.set(key, { ...entry, expiresAt, refreshMs: refresh ? ttlMs : null });
  }

  async delete(place: Uint8Array): Promise<void> {
    this.#check();
    this.#remove(keyOf(place));
  }

  async touch(place: Uint8Array): Promise<void> {
    this.#check();
    const key = keyOf(place);
    const entry = this.#live(key);
    if (entry === undefined || entry.refreshMs === null) return;
    this.#entries.byPlace.set(key, { ...entry, expiresAt: systemClock.now() + entry.refreshMs });
  }

  async scan({ after, before, limit }: EntryRange): Promise<Entry[]> {
    this.#check();
    const { places } = this.#entries;
    const [from, end] = [keyOf(after), keyOf(before)];
    const found: Entry[] = [];
    let byteLength = 0;
    for (let i = indexOf(places, from); i < places.length && found.length < limit && byteLength < scanBytes; i++) {
      const key = places[i] as string;
      if (key >= end) break;
      const entry = key === from ? undefined : this.#live(key);
      if (entry === undefined) continue;
      found.push(copyOf(entry));
      byteLength += entry.bytes.length;
    }
    return found;
  }

  async expire(limit: number): Promise<number> {
    this.#check();
    const now = systemClock.now();
    const { byPlace } = this.#entries;
    const expired = [...byPlace].filter(([, entry]) => isOver(entry, now)).slice(0, Math.max(0, limit));
    for (const [key] of expired) this.#remove(key);
    return expired.length;
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.byPlace.get(key);
    return entry === undefined || isOver(entry, systemClock.now()) ? undefined : entry;
  }

  #remove(key: string): void {
    const { byPlace, places } = this.#entries;
    if (byPlace.delete(key)) places.splice(indexOf(places, key), 1);
  }
}

function isOver({ expiresAt }: Entry, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

function keyOf(place: Uint8Array): string {
  let key = "";
  for (const byte of place) key += String.fromCharCode(byte);
  return key;
}

/** Where it is, or would be. */
function indexOf(places: readonly string[], key: string): number {
  let from = 0;
  let to = places.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((places[middle] as string) < key) from = middle + 1;
    else to = middle;
  }
  return from;
}

function copyOf(entry: Entry): Entry {
  return { ...entry, place: copyBytes(entry.place), bytes: copyBytes(entry.bytes) };
}
