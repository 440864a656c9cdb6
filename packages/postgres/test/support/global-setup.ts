import type { TestProject } from "vitest/node";

import { startServerProcess } from "./server-process.ts";

/**
 * One server per test run, which nobody crashes: tests that do have servers of their own. So it need not wait for the disk,
 * and whatever is proven about durability is proven there.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const server = await startServerProcess(["-c", "max_connections=200", "-c", "fsync=off"]);
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
