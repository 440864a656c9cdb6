// The one way values get into the journal and out of it. See contract.ts for the wire form.

import { errorOf } from "../../base/error.ts";
import { type Json, TAG_KEY } from "./contract.ts";
import { corrupt } from "./corrupt.ts";
import { isPlain, isUnmarked } from "./plain.ts";
import { readForm } from "./read.ts";
import type { Registry } from "./registry.ts";
import { sortKeys } from "./sorted.ts";
import { tooLong, writeForm } from "./write.ts";
import { systemSha256 } from "../../ports/system.ts";

export interface EncodeOptions {
  /** Longest text, in UTF-16 code units. Default 64 Mi. */
  readonly maxLength?: number;
}

const DEFAULT_MAX_LENGTH = 64 * 1024 * 1024;

/**
 * JSON text on one line that `decode` turns back into the same value, in type and content. Kept are JSON, undefined,
 * every number, BigInt, Date, Map, Set, URL, RegExp, built-in errors, typed arrays, Buffer, ArrayBuffer, DataView, holes,
 * null prototypes, any string key, and registered classes. All else throws `Unencodable`, naming the path. References to
 * one object are written once each, so they come back as separate objects.
 */
export function encode(value: unknown, registry?: Registry, options: EncodeOptions = {}): string {
  const maxLength = options.maxLength ?? DEFAULT_MAX_LENGTH;
  refusePatchedJson();
  const text = JSON.stringify(
    isPlain(value, maxLength) ? value : { [TAG_KEY]: writeForm(value, { registry, maxLength, stacks: true }) },
  );
  if (text.length > maxLength) throw tooLong(maxLength);
  return text;
}

/** The value that `encode` wrote. Runs no code but the `decode` of registered classes; `JournalCorrupt` for any other text. */
export function decode(text: string, registry?: Registry): unknown {
  return revive(parse(text), registry);
}

/**
 * The same for text that was already parsed, as a part of something larger. Plain values are returned as they are, not
 * copied; tagged ones are built anew, and `parsed` is not changed.
 */
export function revive(parsed: unknown, registry?: Registry): unknown {
  if (isUnmarked(parsed)) return parsed;
  const marked = parsed as { [TAG_KEY]?: unknown };
  if (!Object.hasOwn(marked, TAG_KEY)) throw corrupt("a reference to a blob stands where a value should be");
  if (Object.keys(marked).length !== 1) throw corrupt("keys beside the tag");
  return readForm(marked[TAG_KEY], registry);
}

/**
 * Like `encode`, but equal for equal values: the keys of objects are sorted, and the stacks of errors are left out. The
 * order of a Map or Set is part of its value and stays.
 */
export function canonical(value: unknown, registry?: Registry): string {
  refusePatchedJson();
  const maxLength = DEFAULT_MAX_LENGTH;
  if (isPlain(value, maxLength)) return JSON.stringify(sortKeys(value as Json));
  return JSON.stringify({ [TAG_KEY]: sortKeys(writeForm(value, { registry, maxLength, stacks: false })) });
}

/** SHA-256 of the canonical text, in hexadecimal. */
export function hashValue(value: unknown, registry?: Registry): string {
  return systemSha256(canonical(value, registry));
}

/** With a toJSON on these prototypes every JSON.stringify in the process answers something else. */
function refusePatchedJson(): void {
  const patched = (Array.prototype as { toJSON?: unknown }).toJSON;
  if (patched === undefined) return;
  throw errorOf("Unencodable.toJson", {});
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw corrupt("not JSON", cause);
  }
}
