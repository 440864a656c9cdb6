/**
 * Freezes plain data through and through; what is frozen already is taken to be so down to the leaves. Dates, maps, sets
 * and typed arrays cannot be frozen and stay as they are.
 */
export function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  if (Array.isArray(value)) {
    for (const item of value) deepFreeze(item);
    return;
  }
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
}
