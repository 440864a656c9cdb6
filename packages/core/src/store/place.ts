/**
 * Places as bytes. Each part, then the key, as UTF-8 and ended by a zero byte; a zero byte inside is followed by 0xFF, which is in
 * no UTF-8. So places are ordered as lists of texts are, by code point, and those below a namespace stand together: what
 * begins with its bytes and goes on with anything but 0xFF.
 */
import { errorOf } from "../base/error.ts";
import { longestPlace } from "../ports/store.ts";
import type { EntryRange } from "../ports/store.ts";
import type { Namespace, StorePlace } from "../model/store.ts";

const mostParts = 16;
const longestPart = 256;
const beyond = 0xff;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws MillraceError `InvalidStorePlace` */
export function placeOf(namespace: Namespace, key: string): Uint8Array<ArrayBuffer> {
  checkNamespace(namespace);
  if (namespace.length === 0) throw errorOf("InvalidStorePlace.empty", {});
  checkPart("the key", key);
  const place = bytesOf([...namespace, key]);
  if (place.length > longestPlace) throw errorOf("InvalidStorePlace.long", { bytes: place.length, most: longestPlace });
  return place;
}

/**
 * Everything whose namespace begins with the prefix.
 *
 * @throws MillraceError `InvalidStorePlace`
 */
export function rangeOf(prefix: Namespace): Omit<EntryRange, "limit"> {
  checkNamespace(prefix);
  const after = bytesOf(prefix);
  return { after, before: new Uint8Array([...after, beyond]) };
}

export function readPlace(place: Uint8Array): StorePlace {
  const parts: string[] = [];
  let part: number[] = [];
  for (let i = 0; i < place.length; i++) {
    const byte = place[i] as number;
    if (byte !== 0) part.push(byte);
    else if (place[i + 1] === beyond) {
      part.push(0);
      i++;
    } else {
      parts.push(decoder.decode(new Uint8Array(part)));
      part = [];
    }
  }
  const key = parts.pop();
  if (key === undefined || part.length > 0) throw errorOf("StoreEntryCorrupt", { where: "an entry without a key" });
  return { namespace: Object.freeze(parts), key };
}

/** For messages: `["users","ann"] "language"`. */
export function placeText({ namespace, key }: StorePlace): string {
  return `${JSON.stringify(namespace)} ${JSON.stringify(key)}`;
}

function bytesOf(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  for (const part of parts) {
    for (const byte of encoder.encode(part)) {
      bytes.push(byte);
      if (byte === 0) bytes.push(beyond);
    }
    bytes.push(0);
  }
  return new Uint8Array(bytes);
}

function checkNamespace(namespace: unknown): void {
  if (!Array.isArray(namespace)) throw errorOf("InvalidStorePlace.list", { found: shown(namespace) });
  if (namespace.length > mostParts)
    throw errorOf("InvalidStorePlace.deep", { parts: namespace.length, most: mostParts });
  // Holes are undefined here.
  for (let i = 0; i < namespace.length; i++) checkPart(`part ${i + 1} of the namespace`, namespace[i]);
}

function checkPart(what: string, part: unknown): void {
  if (typeof part !== "string") throw errorOf("InvalidStorePlace.text", { what, found: shown(part) });
  if (part === "") throw errorOf("InvalidStorePlace.nothing", { what });
  if (!part.isWellFormed()) throw errorOf("InvalidStorePlace.surrogate", { what, found: shown(part) });
  if (part.length > longestPart || encoder.encode(part).length > longestPart)
    throw errorOf("InvalidStorePlace.part", { what, most: longestPart });
}

function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
