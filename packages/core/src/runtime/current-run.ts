import type { OpCtx } from "../model/op.ts";
import type { Needs } from "../model/resource.ts";
import type { AsyncStorage } from "../ports/async-storage.ts";
import { newAsyncStorage } from "../ports/system.ts";

/** One for all engines of the process, so that a library finds the run it is called in without knowing its engine. */
let storage: AsyncStorage | null = null;

/** Null: this host has none. */
export function sharedStorage(): AsyncStorage | null {
  return (storage ??= newAsyncStorage());
}

/**
 * The `ctx` of the op body that calls it, however deep in calls and promises; undefined outside of bodies and in engines
 * that were not opened with `asyncContext: true`. For libraries that cannot be handed a `ctx`; give yours on otherwise.
 */
export function currentRun(): OpCtx<Needs> | undefined {
  return storage === null ? undefined : (storage.getStore() as OpCtx<Needs> | undefined);
}
