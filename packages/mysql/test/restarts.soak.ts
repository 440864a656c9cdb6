/**
 * A server that crashes under load again and again (SIGKILL), for `MILLRACE_MINUTES=n` minutes instead of 1.
 * `MILLRACE_SOAK_SEED=n` draws the same moments again.
 */
import { expect, test } from "vitest";

import { playRestarts } from "../../core/test/servers/restarts.ts";
import { harness } from "./support/harness.ts";
import { startServer } from "./support/server.ts";
import { skipWithoutServer } from "./support/without-server.ts";

skipWithoutServer();

const { env } = process;
const ms = Number(env["MILLRACE_MINUTES"] ?? 1) * 60_000;
const seed = Number(env["MILLRACE_SOAK_SEED"] ?? Date.now() % 2 ** 32);

test("H16 H20 a server that crashes every few seconds under load: every run completes, no body runs twice", async () => {
  const server = await startServer();
  try {
    const report = await playRestarts(harness, server, { ms, seed });
    console.log(`restarts of MariaDB, seed ${seed}: ${JSON.stringify(report)}`);
    expect(report).toMatchObject({ bodies: report.runs * report.bodiesEach, again: [], wrong: [], unfinished: [] });
    expect(report.restarts).toBeGreaterThan(ms / 10_000);
  } finally {
    await server.stop();
  }
});
