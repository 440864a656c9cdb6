import { hkdfSync } from "node:crypto";

import { errorOf, type MillraceError } from "../../base/error.ts";
import { isSecret, secret, type Secret } from "../../secrets/secret.ts";
import { KeyedHash } from "./keyed-hash.ts";

/** 32 bytes, or their base64 (also base64url); as they are or as a `secret()`. */
export type EncryptionKey = Uint8Array | string | Secret<string | Uint8Array>;

const keyBytes = 32;
export const idBytes = 8;
/** NIST SP 800-38D, §8.3: the most records under one key whose nonces are 96 random bits. */
const mostRecords = 2 ** 32;

/** One key, and what is derived from it: each use has a key of its own (RFC 5869). */
export class RingKey {
  /** Tells which key it is and nothing else of it: in the header of every record. */
  readonly id: Buffer;
  readonly cipher: Buffer;
  readonly #chains: KeyedHash;
  readonly #names: KeyedHash;
  #records = 0;

  constructor(bytes: Uint8Array) {
    const derive = (use: string, length: number): Buffer =>
      Buffer.from(hkdfSync("sha256", bytes, new Uint8Array(0), `millrace 1 ${use}`, length));
    this.id = derive("id", idBytes);
    this.cipher = derive("records", keyBytes);
    this.#chains = new KeyedHash(derive("chains", keyBytes));
    this.#names = new KeyedHash(derive("blob names", keyBytes));
  }

  /** What hides the checksum of the journal up to that record: 32 bits that differ from place to place. */
  mask(runId: string, lastSeq: number): number {
    return this.#chains.of(JSON.stringify([runId, lastSeq])).readUInt32BE();
  }

  /** What a blob with this hash is stored under: without the key nobody can tell whether it is a text that they know. */
  blobName(hash: string): string {
    return this.#names.of(hash).toString("hex");
  }

  /** One more record is encrypted with it. */
  count(most: number): void {
    if (this.#records >= most)
      throw errorOf("EncryptionKeyExhausted", { key: this.id.toString("hex"), count: this.#records });
    this.#records++;
  }
}

/** The first key writes, all read. */
export class KeyRing {
  readonly keys: readonly RingKey[];
  readonly #byId: ReadonlyMap<string, RingKey>;
  readonly #most: number;

  /**
   * @param most records per key and process.
   * @throws MillraceError `InvalidOption`
   */
  constructor(keys: readonly EncryptionKey[], most: number = mostRecords) {
    if (!Array.isArray(keys)) throw wrong("it must be a list");
    if (keys.length === 0) throw wrong("the list is empty");
    this.keys = keys.map((key: EncryptionKey, i) => new RingKey(bytesOf(key, i)));
    this.#byId = new Map(this.keys.map((key) => [key.id.toString("hex"), key]));
    this.#most = most;
    if (this.#byId.size < keys.length) throw wrong("a key is there twice");
  }

  get size(): number {
    return this.keys.length;
  }

  get first(): RingKey {
    return this.keys[0] as RingKey;
  }

  /** The first, for one more record. */
  forWriting(): RingKey {
    this.first.count(this.#most);
    return this.first;
  }

  /** @throws MillraceError `EncryptionKeyMissing` */
  byId(id: Uint8Array, what: string): RingKey {
    const key = Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString("hex");
    const found = this.#byId.get(key);
    if (found === undefined)
      throw errorOf("EncryptionKeyMissing", { what, key, given: [...this.#byId.keys()].join(", ") });
    return found;
  }
}

/** Messages say nothing of the key. */
function bytesOf(key: unknown, index: number): Uint8Array {
  const given = isSecret(key) ? key.reveal() : key;
  const bytes = typeof given === "string" ? fromBase64(given) : given;
  if (!(bytes instanceof Uint8Array)) throw wrong(`key ${index + 1} is neither bytes nor base64`);
  if (bytes.length !== keyBytes) throw wrong(`key ${index + 1} has ${bytes.length} bytes, and ${keyBytes} are a key`);
  // A key that was given as it is must not be printed either.
  if (!isSecret(key)) (typeof given === "string" ? secret(given) : secret(bytes)).reveal();
  return bytes;
}

function fromBase64(text: string): Uint8Array | undefined {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text.trim()) ? Buffer.from(text.trim(), "base64") : undefined;
}

function wrong(problem: string): MillraceError {
  return errorOf("InvalidOption.keys", { problem });
}
