/**
 * A copy of plain data, through and through: what a run may change without another run seeing it. Dates, maps, sets and
 * bytes are copied too; instances of classes and functions are shared, for nobody but their author knows how to copy them.
 */
export function cloneData(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneData);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return cloneRecord(value, prototype);
  return isCopied(value) ? structuredClone(value) : value;
}

function cloneRecord(record: object, prototype: object | null): object {
  const copy = Object.create(prototype) as object;
  for (const key of Object.keys(record)) {
    const value = cloneData((record as Record<string, unknown>)[key]);
    Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

function isCopied(value: object): boolean {
  return value instanceof Date || value instanceof Map || value instanceof Set || ArrayBuffer.isView(value);
}
