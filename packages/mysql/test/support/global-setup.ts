import type { TestProject } from "vitest/node";

import { obtainPrograms } from "./programs.ts";
import { startServerProcess } from "./server-process.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Of the server that all tests of the run share; a user that may do everything. Empty: there is none, and no test runs. */
    mysqlUrl: string;
    /** Why there is none. */
    mysqlMissing: string;
  }
}

/** One server per test run, which nobody crashes: tests that do have servers of their own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const missing = obtainPrograms();
  project.provide("mysqlMissing", missing ?? "");
  if (missing !== undefined) {
    console.warn(`\n*** NO TEST OF @millrace/mysql RUNS: ${missing}\n`);
    project.provide("mysqlUrl", "");
    return async () => {};
  }
  const server = await startServerProcess();
  project.provide("mysqlUrl", server.url);
  return () => server.stop();
}
