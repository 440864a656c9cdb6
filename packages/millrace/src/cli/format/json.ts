/**
 * Values as JSON for people and scripts. The journal keeps every value exactly; JSON cannot, so what it has no form
 * for is written in the nearest readable one: dates as ISO 8601, bigints and NaN as strings, sets as arrays, maps as
 * objects (or arrays of pairs when a key is no string), bytes as base64, errors as `{ name, message, code, cause }`.
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(plain(value), null, indent) ?? "null";
}

export function plain(value: unknown): unknown {
  switch (typeof value) {
    case "bigint":
      return value.toString();
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "function":
    case "symbol":
      return undefined;
    case "object":
      return value === null ? null : plainObject(value);
    default:
      return value;
  }
}

function plainObject(value: object): unknown {
  if (Array.isArray(value)) return Array.from(value, (item) => plain(item) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return String(value);
  if (value instanceof Set) return [...value].map((item) => plain(item) ?? null);
  if (value instanceof Map) return plainMap(value);
  if (value instanceof Error) return plainError(value);
  if (ArrayBuffer.isView(value)) return plainView(value);
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString("base64");
  return record(Object.entries(value));
}

function plainMap(map: ReadonlyMap<unknown, unknown>): unknown {
  const entries = [...map];
  if (entries.every((entry): entry is [string, unknown] => typeof entry[0] === "string")) return record(entries);
  return entries.map(([key, item]) => [plain(key) ?? null, plain(item) ?? null]);
}

function plainError(error: Error & { readonly code?: unknown }): unknown {
  return record([
    ["name", error.name],
    ["message", error.message],
    ["code", error.code],
    ["cause", error.cause],
  ]);
}

function plainView(view: ArrayBufferView): unknown {
  if (view instanceof Uint8Array) return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
  if (view instanceof DataView) return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString("base64");
  return Array.from(view as unknown as ArrayLike<number | bigint>, (item) => plain(item));
}

/** `defineProperty`, so that an own `__proto__` key stays a key. */
function record(entries: Iterable<readonly [string, unknown]>): object {
  const result = {};
  for (const [key, item] of entries) {
    Object.defineProperty(result, key, { value: plain(item), enumerable: true, writable: true, configurable: true });
  }
  return result;
}
