import { afterAll, beforeAll } from "vitest";

import { serverCrashTests } from "../../core/test/servers/server-crash.ts";
import { harness } from "./support/harness.ts";
import { startServer, type Server } from "./support/server.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer();
}, 60_000);
afterAll(() => server.stop());

serverCrashTests(harness, () => server);
