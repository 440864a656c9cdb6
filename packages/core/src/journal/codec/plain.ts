// The fast path: most values are pure JSON, and the native JSON.stringify is many times faster than any walk that
// builds text. This walk only looks, and answers "no" for everything it is not certain of; write.ts then decides.

import { BLOB_KEY, MAX_DEPTH, TAG_KEY } from "./contract.ts";

const NOT_PLAIN = -1;
const { getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols, getPrototypeOf, keys } = Object;

/** Whether the value cannot be mistaken for a tagged form or a reference to a blob. */
export function isUnmarked(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return !Object.hasOwn(value, TAG_KEY) && !Object.hasOwn(value, BLOB_KEY);
}

/**
 * Whether the value may be written as itself: it is unmarked, and JSON.parse(JSON.stringify(value)) is certain to give
 * the same value back, in at most about `budget` characters.
 * An accessor at an array index is not seen: asking for a descriptor per element would double the cost of every array.
 */
export function isPlain(value: unknown, budget: number): boolean {
  try {
    return isUnmarked(value) && walk(value, 0, budget) >= 0;
  } catch {
    return false; // A Proxy threw. The slow walk meets it again and names the path.
  }
}

/** What is left of the budget, negative for "no". Never counts more than the text will take. */
function walk(value: unknown, depth: number, left: number): number {
  switch (typeof value) {
    case "string":
      return left - value.length - 2;
    case "number":
      // Infinity - Infinity and NaN - NaN are NaN; 1 / -0 is -Infinity.
      return value - value === 0 && (value !== 0 || 1 / value > 0) ? left - 1 : NOT_PLAIN;
    case "boolean":
      return left - 4;
    case "object":
      if (value === null) return left - 4;
      if (depth >= MAX_DEPTH) return NOT_PLAIN;
      return Array.isArray(value) ? walkArray(value, depth, left - 2) : walkObject(value, depth, left - 2);
    default:
      return NOT_PLAIN;
  }
}

function walkArray(array: unknown[], depth: number, budget: number): number {
  if (getPrototypeOf(array) !== Array.prototype) return NOT_PLAIN;
  // Fewer keys than elements: a hole. More: an extra property.
  if (keys(array).length !== array.length || getOwnPropertySymbols(array).length > 0) return NOT_PLAIN;
  let left = budget;
  for (let i = 0; i < array.length && left >= 0; i++) left = walk(array[i], depth + 1, left);
  return left;
}

function walkObject(object: object, depth: number, budget: number): number {
  if (getPrototypeOf(object) !== Object.prototype || getOwnPropertySymbols(object).length > 0) return NOT_PLAIN;
  const names = getOwnPropertyNames(object);
  let left = budget;
  for (let i = 0; i < names.length && left >= 0; i++) {
    const name = names[i]!;
    const property = getOwnPropertyDescriptor(object, name);
    if (property === undefined || !property.enumerable) return NOT_PLAIN;
    // An accessor has no value: `undefined`, which is not plain.
    left = walk(property.value, depth + 1, left - name.length - 3);
  }
  return left;
}
