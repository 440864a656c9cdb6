import { errorOf } from "../base/error.ts";
import { decode } from "../journal/codec/codec.ts";
import { encodeAs } from "../journal/encode-as.ts";
import { isSealed } from "../journal/sealed.ts";
import type { StoreItem, StorePlace } from "../model/store.ts";
import { longestEntry, type Entry } from "../ports/store.ts";
import { placeText, readPlace } from "./place.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @throws MillraceError `InvalidStoreValue`, `Unencodable` */
export function valueBytes(place: StorePlace, value: unknown): Uint8Array<ArrayBuffer> {
  if (value === undefined) throw errorOf("InvalidStoreValue.undefined", { where: placeText(place) });
  const bytes = encoder.encode(encodeAs("value", value));
  if (bytes.length > longestEntry)
    throw errorOf("InvalidStoreValue", { where: placeText(place), bytes: bytes.length, most: longestEntry });
  return bytes;
}

/** @throws MillraceError `StoreEntryCorrupt`; `EncryptionKeyMissing` for what only an encrypted backend can read */
export function itemOf({ place, bytes, createdAt, updatedAt, expiresAt }: Entry): StoreItem {
  const { namespace, key } = readPlace(place);
  const value = valueOf({ namespace, key }, bytes);
  return { namespace, key, value, createdAt, updatedAt, expiresAt: expiresAt ?? undefined };
}

function valueOf(place: StorePlace, bytes: Uint8Array): unknown {
  if (isSealed(bytes)) throw errorOf("EncryptionKeyMissing.none", { what: `${placeText(place)} of the store` });
  try {
    return decode(decoder.decode(bytes));
  } catch (cause) {
    throw errorOf("StoreEntryCorrupt", { where: placeText(place) }, cause);
  }
}
