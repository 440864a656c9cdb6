import type { Writing } from "../contract.ts";

/**
 * A built-in object is kept by its content, so an own property that somebody added would be lost. Properties that are
 * not enumerable are left to the platform, which hides its own state there.
 */
export function refuseExtras(value: object, type: string, writing: Writing): void {
  const [extra] = Object.keys(value);
  if (extra !== undefined) throw writing.unencodable(extra, `extra property on ${type}`);
  for (const symbol of Object.getOwnPropertySymbols(value)) {
    if (Object.prototype.propertyIsEnumerable.call(value, symbol)) throw symbolKey(symbol, writing);
  }
}

export function symbolKey(symbol: symbol, writing: Writing): Error {
  return writing.unencodable(undefined, `symbol key ${String(symbol)}`);
}
