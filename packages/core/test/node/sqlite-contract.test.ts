import { join } from "node:path";
import { describe, test } from "vitest";

import { sqlite, type SqliteBackend } from "../../src/node/index.ts";
import { backendContract } from "../../src/testing/backend-contract.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("R10 SQLite keeps the contract of all backends", () => {
  backendContract(
    {
      name: "sqlite",
      create: async () => {
        const folder = temporaryFolder();
        return {
          connect: () => sqlite(join(folder.path, "runs.db")),
          crash: (backend) => (backend as SqliteBackend).abandon(),
          dispose: async () => folder.remove(),
        };
      },
    },
    { describe, test },
  );
});
