import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, test } from "vitest";

import type { MemoryBackend } from "../../../src/backends/memory.ts";
import { memory, secret, type Backend, type WrappedBackend } from "../../../src/index.ts";
import { encrypted, sqlite, type SqliteBackend } from "../../../src/node/index.ts";
import { backendContract, type BackendContract } from "../../../src/testing/backend-contract.ts";
import { storeContract } from "../../../src/testing/store-contract.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const key = secret(randomBytes(32));
const old = randomBytes(32).toString("base64");

/** Handles of one store take turns: one of them has rotated its keys, and reads what the other wrote before. */
const inTurns = (): ((inner: Backend) => Backend) => {
  let handles = 0;
  return (inner) => encrypted(inner, { keys: handles++ % 2 === 0 ? [key] : [key, old] });
};

function keepsBoth(contract: BackendContract): void {
  backendContract(contract, { describe, test });
  storeContract(contract, { describe, test });
}

const innerOf = (backend: Backend): Backend => (backend as WrappedBackend).inner;

keepsBoth({
  name: "encrypted memory",
  create: async () => {
    const store = memory();
    const wrap = inTurns();
    return {
      connect: () => wrap(store.another()),
      crash: (backend) => (innerOf(backend) as MemoryBackend).abandon(),
      dispose: async () => {},
    };
  },
});

keepsBoth({
  name: "encrypted memory that may hold plain records",
  create: async () => {
    const store = memory();
    return {
      connect: () => encrypted(store.another(), { keys: [key], allowPlain: true }),
      crash: (backend) => (innerOf(backend) as MemoryBackend).abandon(),
      dispose: async () => {},
    };
  },
});

keepsBoth({
  name: "encrypted sqlite",
  create: async () => {
    const folder = temporaryFolder();
    const wrap = inTurns();
    return {
      connect: () => wrap(sqlite(join(folder.path, "runs.db"))),
      crash: (backend) => (innerOf(backend) as SqliteBackend).abandon(),
      dispose: async () => folder.remove(),
    };
  },
});
