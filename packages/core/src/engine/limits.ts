import { MillraceError } from "../base/error.ts";
import type { Limits, Rate } from "../runtime/limiter.ts";

/** How much of a resource all runs of an engine may use together. What is left out is not limited. */
export interface ResourceLimits {
  /** Bodies that use it at once. A generator counts while it makes an item, not while it waits for its consumers. */
  readonly concurrency?: number;
  /** Attempts that may start in any second, in any minute, or both. As many may start at once. */
  readonly rate?: { readonly perSecond?: number; readonly perMinute?: number };
  /**
   * Tokens, as bodies report them by `ctx.spend`, in any minute. Bodies start while there are any left, so that those that
   * run already may spend more.
   */
  readonly tokensPerMinute?: number;
}

const spans: Readonly<Record<string, number>> = { perSecond: 1_000, perMinute: 60_000 };
const keys = ["concurrency", "rate", "tokensPerMinute"];

/** Checks the limits of a resource. Null: there are none. */
export function limitsOf(name: string, limits: ResourceLimits | undefined): Limits | null {
  if (limits === undefined) return null;
  checkKeys(name, "limits", limits, keys);
  const { concurrency, rate, tokensPerMinute } = limits;
  const rates = rate === undefined ? [] : ratesOf(name, rate);
  if (concurrency === undefined && tokensPerMinute === undefined && rates.length === 0) return null;
  return {
    concurrency: count(name, "concurrency", concurrency) ?? Infinity,
    rates,
    tokensPerMinute: count(name, "tokensPerMinute", tokensPerMinute) ?? Infinity,
  };
}

function ratesOf(name: string, rate: Readonly<Record<string, number>>): Rate[] {
  checkKeys(name, "limits.rate", rate, Object.keys(spans));
  return Object.entries(spans).flatMap(([key, span]) => {
    const limit = count(name, `rate.${key}`, rate[key]);
    return limit === undefined ? [] : [{ limit, span }];
  });
}

function count(name: string, key: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return value;
  throw invalid(`limits.${key} of resource "${name}" is ${String(value)}`, "it is a whole number, 1 or more");
}

function checkKeys(name: string, what: string, options: object, known: readonly string[]): void {
  if (typeof options !== "object" || options === null)
    throw invalid(`${what} of resource "${name}" is not a record`, `it takes ${known.join(", ")}`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw invalid(`${what} of resource "${name}" has no "${unknown}"`, `it takes ${known.join(", ")}`);
}

function invalid(message: string, hint: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
