import { parseDuration, type Duration } from "../base/duration.ts";
import { buildError } from "../base/error.ts";
import type { OpKind } from "../model/op-spec.ts";
import type { CallPolicies, OpPolicies, RetryOptions, RetryPolicy, TimeoutOptions } from "../model/policies.ts";
import { mergeCache } from "./cache-policy.ts";
import { checkChoice, checkCount, checkKeys } from "./options.ts";

export const TIMEOUT_KEYS: readonly string[] = ["run", "idle", "total"];
const RETRY_KEYS = ["attempts", "initial", "factor", "max", "jitter", "on"];
const NO_POLICIES: CallPolicies = Object.freeze({
  retry: null,
  runTimeout: 0,
  idleTimeout: 0,
  totalTimeout: 0,
  onFailure: null,
  cache: null,
});

/** The policies of a call: the op's, with the call's merged over them field by field, checked and in milliseconds. */
export function mergePolicies(where: string, own: OpPolicies, call: OpPolicies): CallPolicies {
  const retry = mergeRetry(where, own.retry, call.retry);
  const timeout = mergeTimeout(where, own.timeout, call.timeout);
  const written = call.onFailure ?? own.onFailure;
  const onFailure = written === undefined ? null : checkChoice(where, "onFailure", written, ["record", "raise"]);
  const cache = mergeCache(where, own.cache, call.cache);
  if (retry === null && timeout === null && onFailure === null && cache === null) return NO_POLICIES;
  return Object.freeze({
    retry,
    runTimeout: milliseconds(where, "timeout.run", timeout?.run, 0),
    idleTimeout: milliseconds(where, "timeout.idle", timeout?.idle, 0),
    totalTimeout: milliseconds(where, "timeout.total", timeout?.total, 0),
    onFailure,
    cache,
  });
}

/** Nothing can interrupt a body that does not give way. */
export function refuseInlineTimeout(where: string, kind: OpKind, policies: CallPolicies): void {
  if (kind !== "inline" || policies.runTimeout + policies.idleTimeout + policies.totalTimeout === 0) return;
  throw buildError(
    `${where} has a timeout, but its body is a plain function`,
    "declare it async, or say { async: true } if it returns a promise",
    "InlineTimeout",
  );
}

function mergeRetry(
  where: string,
  own: RetryOptions | false | undefined,
  call: RetryOptions | false | undefined,
): RetryPolicy | null {
  for (const options of [own, call])
    if (options !== undefined && options !== false) checkKeys(`retry of ${where}`, options, RETRY_KEYS);
  const chosen = call ?? own;
  if (chosen === undefined || chosen === false) return null;
  return retryPolicy(where, own === undefined || own === false ? chosen : { ...own, ...chosen });
}

function retryPolicy(
  where: string,
  { attempts = 3, initial, factor = 2, max, jitter = "equal", on }: RetryOptions,
): RetryPolicy {
  if (typeof factor !== "number" || !Number.isFinite(factor) || factor < 1)
    throw buildError(`retry.factor of ${where} is ${String(factor)}`, "it is a number, 1 or more");
  if (on !== undefined && typeof on !== "function")
    throw buildError(`retry.on of ${where} is not a function`, "write on: error => true or false");
  return Object.freeze({
    attempts: checkCount(where, "retry.attempts", attempts),
    initial: milliseconds(where, "retry.initial", initial, 500),
    factor,
    max: milliseconds(where, "retry.max", max, 30_000),
    jitter: checkChoice(where, "retry.jitter", jitter, ["equal", "full", "none"]),
    on: on ?? null,
  });
}

function mergeTimeout(
  where: string,
  own: TimeoutOptions | undefined,
  call: TimeoutOptions | undefined,
): TimeoutOptions | null {
  if (own === undefined && call === undefined) return null;
  for (const options of [own, call]) {
    if (options === undefined) continue;
    checkKeys(`timeout of ${where}`, options, TIMEOUT_KEYS);
  }
  return { ...own, ...call };
}

/** Durations keep their own error code, `InvalidDuration`. */
function milliseconds(where: string, key: string, duration: Duration | undefined, otherwise: number): number {
  return duration === undefined ? otherwise : parseDuration(duration, `${key} of ${where}`);
}
