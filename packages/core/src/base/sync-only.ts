/**
 * The value of a function that must be synchronous. A promise is refused, and its rejection with it: nobody else would
 * listen to that.
 */
export function syncOnly(value: unknown, what: string): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { then } = value as { then?: unknown };
  if (typeof then !== "function") return value;
  (then as (this: unknown, ...listeners: unknown[]) => unknown).call(value, undefined, () => undefined);
  throw new TypeError(`${what} gave a promise; it must be synchronous, and what waits belongs in an op`);
}

/** `async` functions and generators, told by their kind: for refusing them before anything runs. */
export function isAsyncOrGenerator(fn: unknown): boolean {
  const kind = Object.prototype.toString.call(fn);
  return (
    kind === "[object AsyncFunction]" ||
    kind === "[object GeneratorFunction]" ||
    kind === "[object AsyncGeneratorFunction]"
  );
}
