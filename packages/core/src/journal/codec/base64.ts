// Bytes inside JSON text. Uses Node's Buffer where there is one (about ten times faster), found by duck typing so that
// the module loads in a browser.

import { corrupt } from "./corrupt.ts";

type NodeBuffer = Uint8Array & { toString(encoding: "base64"): string };

interface NodeBufferClass {
  readonly prototype: object;
  from(data: ArrayBufferLike, offset: number, length: number): NodeBuffer;
  from(text: string, encoding: "base64"): NodeBuffer;
}

/** Node's Buffer class, or undefined where the platform has none. */
export const PlatformBuffer: NodeBufferClass | undefined = (globalThis as { Buffer?: NodeBufferClass }).Buffer;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BITS: Uint8Array = new Uint8Array(128);
for (let i = 0; i < ALPHABET.length; i++) BITS[ALPHABET.charCodeAt(i)] = i;

export function toBase64(bytes: Uint8Array): string {
  if (PlatformBuffer === undefined) return toBase64Portable(bytes);
  return PlatformBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Fresh bytes on a buffer of their own. Text that `toBase64` cannot have written is `JournalCorrupt`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = PlatformBuffer === undefined ? fromBase64Portable(text) : PlatformBuffer.from(text, "base64");
  const bytes = new Uint8Array(decoded.length); // Small Buffers share a pool; typed arrays need alignment.
  bytes.set(decoded);
  // Decoders skip or fold what they do not know; only the way back tells.
  if (toBase64(bytes) !== text) throw corrupt("malformed base64");
  return bytes;
}

export function toBase64Portable(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const have = bytes.length - at;
    const word = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += ALPHABET[word >>> 18]! + ALPHABET[(word >>> 12) & 63]!;
    text += have > 1 ? ALPHABET[(word >>> 6) & 63]! : "=";
    text += have > 2 ? ALPHABET[word & 63]! : "=";
  }
  return text;
}

/** Lenient: characters outside the alphabet count as zero bits. */
export function fromBase64Portable(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(0, Math.floor((text.length * 3) / 4) - paddingOf(text)));
  for (let at = 0, out = 0; at < text.length; at += 4, out += 3) {
    const word = (bits(text, at) << 18) | (bits(text, at + 1) << 12) | (bits(text, at + 2) << 6) | bits(text, at + 3);
    bytes[out] = word >>> 16; // Stores beyond the end, where padding was, are ignored.
    bytes[out + 1] = word >>> 8;
    bytes[out + 2] = word;
  }
  return bytes;
}

function bits(text: string, at: number): number {
  return BITS[text.charCodeAt(at)] ?? 0;
}

function paddingOf(text: string): number {
  if (text.endsWith("==")) return 2;
  return text.endsWith("=") ? 1 : 0;
}
