/** The processes of `crash-harness.test.ts`, killed and stopped until there is no doubt. */
import { expect, test } from "vitest";

import { crashOnMysql } from "./support/crash.ts";
import { skipWithoutServer } from "./support/without-server.ts";

skipWithoutServer();

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 200);
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);

test(`R10 R28 H1 ${kills} kills on MariaDB, one in five a process that stands still and wakes up`, async () => {
  const report = await crashOnMysql(kills, 20, seed);
  console.log(`crashes on MariaDB: ${JSON.stringify(report)}`);
  expect(report.kills).toBeGreaterThanOrEqual(kills);
});
