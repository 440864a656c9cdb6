import { describe, test } from "vitest";

import { memory, type MemoryBackend } from "../../src/backends/memory.ts";
import { backendContract, type BackendContract } from "../../src/testing/backend-contract.ts";
import { storeContract } from "../../src/testing/store-contract.ts";

const contract: BackendContract = {
  name: "memory",
  create: async () => {
    const store = memory();
    return {
      connect: () => store.another(),
      crash: (backend) => (backend as MemoryBackend).abandon(),
      dispose: async () => {},
    };
  },
};

describe("R10 memory keeps the contract of all backends", () => {
  backendContract(contract, { describe, test });
});

describe("S10 memory keeps the contract of all stores", () => {
  storeContract(contract, { describe, test });
});
