/**
 * Gives `target` an own, enumerable, writable property. Plain assignment would call the `__proto__` setter, and would
 * throw for keys such as `constructor` where Object.prototype is frozen; defining every key is several times slower.
 */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key in target) defineOwn(target, key, value, true);
  else (target as Record<string, unknown>)[key] = value;
}

export function defineOwn(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}

/** Whether `value` is an object made by JSON.parse, or one like it. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property of data, never an inherited one. */
export function ownValue(record: object, key: string): unknown {
  return Object.hasOwn(record, key) ? (record as Record<string, unknown>)[key] : undefined;
}
