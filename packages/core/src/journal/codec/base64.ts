// Bytes inside JSON text. Uses Node's Buffer where there is one, else the methods that newer hosts give to byte arrays
// (both about ten times faster), found by duck typing so that the module loads anywhere.

import type { MillraceError } from "../../base/error.ts";
import { corrupt } from "./corrupt.ts";

type NodeBuffer = Uint8Array & { toString(encoding: "base64"): string };

interface NodeBufferClass {
  readonly prototype: object;
  from(data: ArrayBufferLike, offset: number, length: number): NodeBuffer;
  from(text: string, encoding: "base64"): NodeBuffer;
}

/** Node's Buffer class, or undefined where the platform has none. */
export const PlatformBuffer: NodeBufferClass | undefined = (globalThis as { Buffer?: NodeBufferClass }).Buffer;

interface Base64Bytes {
  toBase64?(): string;
}

interface Base64Class {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CHARACTERS: Uint8Array = new TextEncoder().encode(ALPHABET);
const PADDING = 61;
const BITS: Uint8Array = new Uint8Array(128);
for (let i = 0; i < ALPHABET.length; i++) BITS[ALPHABET.charCodeAt(i)] = i;

export function toBase64(bytes: Uint8Array): string {
  if (PlatformBuffer !== undefined)
    return PlatformBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return (bytes as Base64Bytes).toBase64?.() ?? toBase64Portable(bytes);
}

/** Fresh bytes on a buffer of their own. Text that `toBase64` cannot have written is `JournalCorrupt`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(text);
  // Decoders skip or fold what they do not know; only the way back tells.
  if (toBase64(bytes) !== text) throw malformed();
  return bytes;
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  if (PlatformBuffer === undefined) return decodedByArray(text) ?? fromBase64Portable(text);
  const buffer = PlatformBuffer.from(text, "base64");
  const bytes = new Uint8Array(buffer.length); // Small Buffers share a pool; typed arrays need alignment.
  bytes.set(buffer);
  return bytes;
}

/** Undefined where byte arrays have no such method. It refuses part of what is malformed itself. */
function decodedByArray(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return (Uint8Array as Base64Class).fromBase64?.(text);
  } catch (cause) {
    throw malformed(cause);
  }
}

function malformed(cause?: unknown): MillraceError {
  return corrupt("malformed base64", cause);
}

/** Characters go into bytes first: text that grows by single characters is made of as many pieces. */
export function toBase64Portable(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  for (let at = 0, out = 0; at < bytes.length; at += 3, out += 4) {
    const have = bytes.length - at;
    const word = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text[out] = CHARACTERS[word >>> 18]!;
    text[out + 1] = CHARACTERS[(word >>> 12) & 63]!;
    text[out + 2] = have > 1 ? CHARACTERS[(word >>> 6) & 63]! : PADDING;
    text[out + 3] = have > 2 ? CHARACTERS[word & 63]! : PADDING;
  }
  return new TextDecoder().decode(text);
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
