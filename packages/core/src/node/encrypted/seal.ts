/**
 * Bytes under AES-256-GCM: magic (4) · key id (8) · nonce (12) · what was encrypted · tag (16). The header and the place
 * that the bytes are stored at are authenticated with them, so that they decrypt there and nowhere else.
 */
import { createCipheriv, createDecipheriv, randomFillSync } from "node:crypto";

import { sealedMagic } from "../../journal/sealed.ts";
import { idBytes, type KeyRing, type RingKey } from "./key-ring.ts";

/** Where a record belongs: its kind and whatever finds it. */
export type Place = readonly (string | number | boolean | null)[];

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = sealedMagic.length + idBytes;
/** What a record grows by. */
export const sealBytes: number = headerBytes + nonceBytes + tagBytes;

export function seal(key: RingKey, place: Place, bytes: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(sealBytes + bytes.length);
  sealed.set(sealedMagic);
  sealed.set(key.id, sealedMagic.length);
  const nonce = nextNonce();
  sealed.set(nonce, headerBytes);
  const cipher = createCipheriv(algorithm, key.cipher, nonce, { authTagLength: tagBytes });
  cipher.setAAD(authenticated(sealed, place));
  sealed.set(cipher.update(bytes), headerBytes + nonceBytes);
  cipher.final();
  sealed.set(cipher.getAuthTag(), sealed.length - tagBytes);
  return sealed;
}

/** The key that the bytes say they were encrypted with; undefined: they are cut off before they say it. */
export function keyOf(ring: KeyRing, sealed: Uint8Array, what: string): RingKey | undefined {
  if (sealed.length < sealBytes || !sealedMagic.every((byte, i) => sealed[i] === byte)) return undefined;
  return ring.byId(sealed.subarray(sealedMagic.length, headerBytes), what);
}

/** Undefined: the bytes are not what was written there. */
export function unseal(key: RingKey, place: Place, sealed: Uint8Array): Uint8Array | undefined {
  const end = sealed.length - tagBytes;
  const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes);
  const decipher = createDecipheriv(algorithm, key.cipher, nonce, { authTagLength: tagBytes });
  decipher.setAAD(authenticated(sealed, place));
  decipher.setAuthTag(sealed.subarray(end));
  const bytes = new Uint8Array(decipher.update(sealed.subarray(headerBytes + nonceBytes, end)));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return bytes;
}

function authenticated(sealed: Uint8Array, place: Place): Uint8Array {
  return Buffer.concat([sealed.subarray(0, headerBytes), Buffer.from(JSON.stringify(place))]);
}

/** Filled many at a time: a call to the system's generator costs as much as the cipher. */
const pool = new Uint8Array(nonceBytes * 512);
let used = pool.length;

function nextNonce(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const nonce = pool.slice(used, used + nonceBytes);
  used += nonceBytes;
  return nonce;
}
