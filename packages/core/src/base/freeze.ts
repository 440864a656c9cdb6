/** Longer arrays are walked by their keys. */
const longestWalk = 100_000;

/**
 * Freezes plain data through and through; what is frozen already is taken to be so down to the leaves. Anything but
 * plain objects and arrays stays as it is: dates, maps and bytes cannot be frozen, and instances are not ours.
 */
export function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || !isPlain(value)) return;
  Object.freeze(value);
  // An array may be nearly all holes: its length says nothing of how much is in it.
  if (Array.isArray(value) && value.length <= longestWalk) {
    for (let i = 0; i < value.length; i++) deepFreeze(value[i]);
    return;
  }
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
