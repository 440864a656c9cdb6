/** The processes of `crash-harness.test.ts`, killed and stopped until there is no doubt. */
import { expect, test } from "vitest";

import { crashOnMysql } from "./support/crash.ts";
import { skipWithoutServer } from "./support/without-server.ts";

skipWithoutServer();

const { env } = process;
const kills = Number(env["MILLRACE_KILLS"] ?? 200);
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);

/** Besides those that are killed at once, one in five stands still, and is killed after it woke up if it has not ended. */
const stops = 20;

test(`R10 R28 H1 ${kills} kills on MariaDB, and a quarter as many processes that stand still and wake up`, async () => {
  const report = await crashOnMysql(Math.ceil(kills * 1.4), stops, seed);
  console.log(`crashes on MariaDB: ${JSON.stringify(report)}`);
  expect(report.kills - report.stops).toBeGreaterThanOrEqual(kills);
  expect(report.stops).toBeGreaterThan(kills / 10);
});
