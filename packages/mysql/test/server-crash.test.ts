import { afterAll, beforeAll, inject } from "vitest";

import { serverCrashTests } from "../../core/test/servers/server-crash.ts";
import { harness } from "./support/harness.ts";
import { startServer, type Server } from "./support/server.ts";

let server: Server | undefined;
beforeAll(async () => {
  if (inject("mysqlMissing") === "") server = await startServer();
}, 60_000);
afterAll(() => server?.stop());

serverCrashTests(harness, () => server!);
