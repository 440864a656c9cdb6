import { memoryEntries } from "../backends/memory/entries.ts";
import type { Store } from "../model/store.ts";
import { storeOver } from "./store.ts";

/** A store in this process that ends with it: for tests, `myOp.fn(input, { store: memoryStore() })`, and engines without a backend. */
export function memoryStore(): Store {
  return storeOver(memoryEntries());
}
