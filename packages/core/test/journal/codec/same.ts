/**
 * Where two values differ, or undefined if nothing that JavaScript can see tells them apart: class, own keys and their
 * order, property attributes, Object.is for primitives, order of Maps and Sets, bytes. Own "stack" is compared as text.
 */
export function difference(a: unknown, b: unknown, path = "value"): string | undefined {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return Object.is(a, b) ? undefined : `${path}: ${typeof a} ${String(a)} against ${typeof b} ${String(b)}`;
  }
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: another class`;
  return contentDifference(a, b, path) ?? propertyDifference(a, b, path);
}

function contentDifference(a: object, b: object, path: string): string | undefined {
  const left = content(a);
  const right = content(b);
  if (left.length !== right.length) return `${path}: ${left.length} parts against ${right.length}`;
  for (const [i, part] of left.entries()) {
    const found = difference(part, right[i], `${path}<${i}>`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function propertyDifference(a: object, b: object, path: string): string | undefined {
  if (ArrayBuffer.isView(a)) return undefined;
  // The order of an error's keys depends on how it was made.
  const order = (keys: PropertyKey[]): string => {
    const names = keys.map(String);
    return JSON.stringify(a instanceof Error ? names.sort((x, y) => (x < y ? -1 : 1)) : names);
  };
  if (order(Reflect.ownKeys(a)) !== order(Reflect.ownKeys(b))) return `${path}: other own keys`;
  for (const key of Reflect.ownKeys(a)) {
    const here = `${path}.${String(key)}`;
    if (key === "stack" && a instanceof Error) {
      if (a.stack !== (b as Error).stack) return `${here}: another stack`;
      continue;
    }
    const left = Object.getOwnPropertyDescriptor(a, key)!;
    const right = Object.getOwnPropertyDescriptor(b, key)!;
    if (left.enumerable !== right.enumerable) return `${here}: enumerable or not`;
    const found = difference(left.value, right.value, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a built-in object holds that is no property. */
function content(value: object): unknown[] {
  if (value instanceof Map) return [...(value as Map<unknown, unknown>)].flatMap(([key, item]) => [key, item]);
  if (value instanceof Set) return [...(value as Set<unknown>)];
  if (value instanceof Date) return [value.getTime()];
  if (value instanceof URL) return [value.href];
  if (value instanceof RegExp) return [value.source, value.flags, value.lastIndex];
  if (value instanceof ArrayBuffer) return [...new Uint8Array(value)];
  if (ArrayBuffer.isView(value)) return [...new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
  return [];
}
