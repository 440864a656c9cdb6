/** Addresses that are wrong, and adapters that are missing. What commands do on servers: `server-commands.ts`. */
import { join } from "node:path";
import { expect, test } from "vitest";

import { loadAdapter } from "../../src/cli/servers/adapter.ts";
import { hasStack, millrace, temporaryFolder } from "./cli.ts";

const secret = "s3cret-canary";

test.each([
  `redis://:${secret}@localhost/0`,
  `mysql://app:${secret}@`,
  `mysql://app:${secret}@localhost`,
  `postgres://app:a/${secret}@localhost/db`,
  `https://user:${secret}@example.org/db?password=${secret}`,
])("the address %s is refused without a word of its secret", async (db) => {
  for (const args of [["runs"], ["db", "stats", "--json"]]) {
    const { code, stdout, stderr } = await millrace([...args, "--db", db], { cwd: temporaryFolder() });
    expect([code === 0, (stdout + stderr).includes(secret), hasStack(stderr)]).toEqual([false, false, false]);
    expect(stderr).toContain("hint:");
  }
});

test("an adapter that is not installed is told by its name", async () => {
  const nowhere = temporaryFolder();
  const loading = loadAdapter("@millrace/mysql", "MySQL or MariaDB", nowhere, join(nowhere, "main.js"));
  await expect(loading).rejects.toMatchObject({
    code: "AdapterMissing",
    exit: 3,
    message: "--db names a MySQL or MariaDB database, and @millrace/mysql is not installed",
    hint: "npm install @millrace/mysql",
  });
});
