/**
 * A real promise for whatever can be awaited, or null. Userland thenables and promises of other realms are wrapped, so
 * that they can settle only once.
 */
export function asPromise(value: unknown): Promise<unknown> | null {
  if (typeof value !== "object" || value === null) return null;
  if (value instanceof Promise) return value;
  return typeof (value as { then?: unknown }).then === "function" ? Promise.resolve(value) : null;
}
