/** H23: what a server is asked to be. Each flag has a server of its own; none of them stores anything. */
import { describe, expect, inject, test } from "vitest";

import { checkSettings, leastPacket } from "../src/session.ts";
import { opened } from "./support/open.ts";
import { startServer } from "./support/server.ts";
import { freshPrefix } from "./support/store.ts";

function settingsWith(changes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const good = {
    max_allowed_packet: String(leastPacket),
    innodb_flush_log_at_trx_commit: "1",
    innodb_flush_method: "O_DIRECT",
    log_bin: "ON",
    sync_binlog: "1",
    binlog_format: "ROW",
    wsrep_on: "OFF",
  };
  return new Map(Object.entries({ ...good, ...changes }));
}

describe("settings of the server", () => {
  const strict = { name: "mysql:x", durable: "commit" } as const;
  const loose = { name: "mysql:x", durable: "server" } as const;

  test("H23 a server that waits for the disk is taken", () => {
    expect(() => checkSettings(settingsWith({}), strict)).not.toThrow();
    expect(() => checkSettings(settingsWith({ log_bin: "OFF", sync_binlog: "0" }), strict)).not.toThrow();
  });

  test.each([
    ["innodb_flush_log_at_trx_commit", "2"],
    ["innodb_flush_log_at_trx_commit", "0"],
    ["innodb_flush_method", "nosync"],
    ["sync_binlog", "0"],
    ["sync_binlog", "100"],
  ])("H23 %s = %s is refused by name, unless the server's word is taken for it", (setting, found) => {
    const settings = settingsWith({ [setting]: found });
    expect(() => checkSettings(settings, strict)).toThrow(`mysql:x: ${setting} is ${found} and must be`);
    expect(() => checkSettings(settings, loose)).not.toThrow();
  });

  test.each([
    ["max_allowed_packet", "1048576"],
    ["wsrep_on", "ON"],
    ["binlog_format", "STATEMENT"],
  ])("%s = %s is refused by name, always", (setting, found) => {
    for (const options of [strict, loose]) {
      expect(() => checkSettings(settingsWith({ [setting]: found }), options)).toThrow(`${setting} is ${found}`);
    }
  });

  test("H23 a real server with other settings is refused, and taken when they are accepted", async () => {
    const server = await startServer(["--innodb-flush-log-at-trx-commit=2", "--max-allowed-packet=17M"]);
    try {
      const prefix = freshPrefix();
      await expect(opened("a", { prefix }, server.url)).rejects.toMatchObject({
        code: "DatabaseUnavailable",
        message: expect.stringContaining("innodb_flush_log_at_trx_commit is 2") as string,
      });
      const taken = await opened("a", { prefix, durable: "server" }, server.url);
      expect(taken.settings()).toMatchObject({ flushLogAtCommit: "2", maxAllowedPacket: 17 << 20, schemaVersion: 2 });
      await taken.close();
    } finally {
      await server.stop();
    }
  }, 60_000);

  test("H23 the server of these tests waits for its log, and says so", async () => {
    const backend = await opened("a", { prefix: freshPrefix() }, inject("mysqlUrl"));
    expect(backend.settings()).toMatchObject({ flushLogAtCommit: "1", syncBinlog: "no binary log" });
  });
});
