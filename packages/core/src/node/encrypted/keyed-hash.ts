import { hash } from "node:crypto";

const blockBytes = 64;

/**
 * HMAC-SHA256 (RFC 2104) with one key. By two plain hashes: the host's own keyed hash makes an object for each, which
 * costs ten times as much, and every row of a journal needs one.
 */
export class KeyedHash {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  /** @param key at most 64 bytes. */
  constructor(key: Uint8Array) {
    const padded = (pad: number): Buffer =>
      Buffer.from(Array.from({ length: blockBytes }, (_, i) => pad ^ (key[i] ?? 0)));
    this.#inner = padded(0x36);
    this.#outer = padded(0x5c);
  }

  of(text: string): Buffer {
    const inner = hash("sha256", Buffer.concat([this.#inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([this.#outer, inner]), "buffer");
  }
}
