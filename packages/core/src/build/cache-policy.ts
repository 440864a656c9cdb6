import { parseDuration } from "../base/duration.ts";
import { buildError } from "../base/error.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { CacheOptions, CachePolicy, CallPolicies } from "../model/policies.ts";
import { checkCount, checkKeys } from "./options.ts";

const CACHE_KEYS = ["ttl", "max", "key"];
const DEFAULT_MAX = 1_000;

type Written = Partial<CacheOptions> | false | undefined;

/** The cache of a call: the op's, with the call's merged over it field by field; `false` turns it off. */
export function mergeCache(where: string, own: Written, call: Written): CachePolicy | null {
  for (const options of [own, call])
    if (options !== undefined && options !== false) checkKeys(`cache of ${where}`, options, CACHE_KEYS);
  const chosen = call ?? own;
  if (chosen === undefined || chosen === false) return null;
  return cachePolicy(where, own === undefined || own === false ? chosen : { ...own, ...chosen });
}

function cachePolicy(where: string, { ttl, max = DEFAULT_MAX, key }: Partial<CacheOptions>): CachePolicy {
  if (ttl === undefined)
    throw buildError(`cache of ${where} has no ttl`, 'say how long an output stays good: cache: { ttl: "1h" }');
  if (key !== undefined && typeof key !== "function")
    throw buildError(`cache.key of ${where} is not a function`, "write key: (input) => what the output depends on");
  return Object.freeze({
    ttl: parseDuration(ttl, `cache.ttl of ${where}`),
    max: checkCount(where, "cache.max", max),
    key: key ?? null,
  });
}

/** An output that stands for a stream, or for an effect that must happen, cannot be given out a second time. */
export function refuseUncacheable(where: string, spec: OpSpec, policies: CallPolicies): void {
  if (policies.cache === null) return;
  if (spec.kind === "generator" || spec.kind === "asyncGenerator")
    throw buildError(
      `${where} has a cache, but its output is a stream`,
      "leave it out, or cache the ops that work on its items",
    );
  if (spec.effect === "unsafe")
    throw buildError(
      `${where} has a cache, but its effect is unsafe`,
      "a cached output would stand for an effect that never happened; leave cache or effect out",
    );
}
