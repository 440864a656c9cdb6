import { describe, test } from "vitest";

import { memory, type MemoryBackend } from "../../src/backends/memory.ts";
import { backendContract } from "../../src/testing/backend-contract.ts";

describe("R10 memory keeps the contract of all backends", () => {
  backendContract(
    {
      name: "memory",
      create: async () => {
        const store = memory();
        return {
          connect: () => store.another(),
          crash: (backend) => (backend as MemoryBackend).abandon(),
          dispose: async () => {},
        };
      },
    },
    { describe, test },
  );
});
