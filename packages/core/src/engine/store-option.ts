import { errorOf } from "../base/error.ts";
import { noStore } from "../model/no-store.ts";
import type { Store } from "../model/store.ts";
import { memoryStore } from "../store/memory-store.ts";
import { storeOver } from "../store/store.ts";
import type { EngineOptions } from "./api.ts";

/** What `ctx.store` is in an engine with these options. */
export function storeOf({ store, backend }: EngineOptions): Store {
  if (store !== undefined) return store;
  if (backend === undefined) return memoryStore();
  if (backend.store !== undefined) return storeOver(backend.store);
  // What one process would remember must not be taken for what all of them do.
  return noStore(() => errorOf("StoreMissing.backend", { backend: backend.name }));
}
