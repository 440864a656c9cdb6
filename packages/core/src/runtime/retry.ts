import type { RetryPolicy } from "../model/policies.ts";
import type { Entropy } from "../ports/entropy.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Connection errors of Node, undici and the browsers' fetch. */
const connectionCodes = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "ETIMEDOUT",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_SOCKET",
]);

/**
 * Milliseconds to wait before the next attempt, or null when `attempt` was the last.
 *
 * `initial × factor^(attempt-1)`, at most `max`; with equal jitter half of it is random, so that clients that failed
 * together do not come back together. A server's Retry-After is waited out, however long. Total: an error that cannot be
 * looked at, and a `retry.on` that throws, are not tried again.
 */
export function retryDelay(
  policy: RetryPolicy | null,
  attempt: number,
  error: unknown,
  entropy: Entropy,
  now: number,
): number | null {
  if (policy === null || attempt >= policy.attempts) return null;
  try {
    if (!(policy.on === null ? isTransient(error) : policy.on(error))) return null;
    return Math.max(backOff(policy, attempt, entropy), retryAfterMs(error, now) ?? 0);
  } catch {
    return null;
  }
}

function backOff(policy: RetryPolicy, attempt: number, entropy: Entropy): number {
  const wait = Math.min(policy.max, policy.initial * policy.factor ** (attempt - 1));
  if (policy.jitter === "none") return wait;
  if (policy.jitter === "full") return wait * entropy.random();
  return wait / 2 + (wait / 2) * entropy.random();
}

/** Causes of causes that are looked at: they may go round in a circle. */
const mostCauses = 10;

/** Worth another try by default: time-outs, connection errors, HTTP 429 and 5xx, and what says of itself `retryable: true`. */
export function isTransient(error: unknown, depth = 0): boolean {
  if (typeof error !== "object" || error === null || depth > mostCauses) return false;
  const { code, retryable, name, cause } = error as Record<string, unknown>;
  if (typeof retryable === "boolean") return retryable;
  if (name === "TimeoutError" || (typeof code === "string" && connectionCodes.has(code))) return true;
  return httpIsTransient(error) ?? isTransient(cause, depth + 1);
}

/** Undefined: the error says nothing of an HTTP status. */
function httpIsTransient(error: object): boolean | undefined {
  const { status, statusCode } = error as Record<string, unknown>;
  const http = typeof status === "number" ? status : statusCode;
  return typeof http === "number" ? http === 429 || (http >= 500 && http <= 599) : undefined;
}
