import { errorOf } from "../base/error.ts";
import type { Test } from "./filter.ts";

const longestQuery = 1_024;

/**
 * Whether each word of the query, parted by white space, occurs somewhere in a text of the value. Different words may be in
 * different texts. Compared in lower case (without a locale) and composed (NFC), not by whole words: "mill" finds "Windmills".
 *
 * @throws MillraceError `InvalidStoreSearch`
 */
export function matcherOf(query: unknown): Test {
  if (typeof query !== "string" || query.length > longestQuery)
    throw errorOf("InvalidStoreSearch.query", { most: longestQuery });
  const words = [...new Set(folded(query).split(/\s+/u))].filter((word) => word !== "");
  if (words.length === 0) return () => true;
  return (value) => {
    const missing = new Set(words);
    for (const text of texts(value)) {
      const where = folded(text);
      for (const word of missing) if (where.includes(word)) missing.delete(word);
      if (missing.size === 0) return true;
    }
    return false;
  };
}

function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Without recursion: how deep a value is, is its writer's choice. */
function* texts(value: unknown): Generator<string, void, undefined> {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "object" && next !== null) for (const part of partsOf(next)) waiting.push(part);
  }
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return value.values();
  if (value instanceof Set) return value;
  return ArrayBuffer.isView(value) ? [] : Object.values(value);
}
