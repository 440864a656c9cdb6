import { join } from "node:path";
import { describe, test } from "vitest";

import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import { backendContract, type BackendContract } from "../../src/testing/backend-contract.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const contract: BackendContract = {
  name: "sqlite",
  create: async () => {
    const folder = temporaryFolder();
    return {
      connect: () => sqlite(join(folder.path, "runs.db")),
      crash: (backend) => (backend as SqliteBackend).abandon(),
      dispose: async () => folder.remove(),
    };
  },
};

describe("R10 SQLite keeps the contract of all backends", () => {
  backendContract(contract, { describe, test });
});

describe("S10 SQLite keeps the contract of all stores", () => {
  storeContract(contract, { describe, test });
});
