import { expect, test } from "vitest";

import { crashOnMysql } from "./support/crash.ts";

test("R10 R28 P3.1 P3.9 H1 processes killed, and stopped until others have their runs, on MariaDB: nothing acknowledged is lost, nothing finished runs again", async () => {
  const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 2 ** 32);
  const report = await crashOnMysql(6, 35, seed);
  console.log(`crashes on MariaDB: ${JSON.stringify(report)}`);
  expect(report.kills).toBeGreaterThan(2);
  expect(report.acknowledged).toBeGreaterThan(50);
}, 300_000);
