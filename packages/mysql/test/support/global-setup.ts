import type { TestProject } from "vitest/node";

import { obtainPrograms } from "./programs.ts";
import { startServerProcess } from "./server-process.ts";

/** One server per test run, which nobody crashes: tests that do have servers of their own. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const missing = obtainPrograms();
  project.provide("mysqlMissing", missing ?? "");
  // What nobody looks at must not pass by skipping.
  if (missing !== undefined && (process.env["CI"] || process.env["MILLRACE_SOAK_SEED"]))
    throw new Error(`CI and soaks must run the tests of @millrace/mysql: ${missing}`);
  if (missing !== undefined) {
    console.warn(`\n*** NO TEST OF @millrace/mysql RUNS: ${missing}\n`);
    project.provide("mysqlUrl", "");
    return async () => {};
  }
  const server = await startServerProcess();
  project.provide("mysqlUrl", server.url);
  return () => server.stop();
}
