import { createHash } from "node:crypto";

/**
 * What is looked up by a text is looked up by the SHA-256 of the text: InnoDB's indexes hold 3,072 bytes, and its collations
 * pad and fold. The text itself stands beside it.
 */
export function keyOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}

/** As JSON carries it. */
export function hexKeyOf(text: string): string {
  return keyOf(text).toString("hex");
}

/** Of a label: no key has NUL in it. */
export function hexLabelKeyOf([key, value]: readonly [key: string, value: string]): string {
  return hexKeyOf(`${key}\0${value}`);
}

/** The same memory, as the client takes it. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
