/** `--db` with the address of a database on a server: real servers, real commands. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { startServerProcess } from "../../../core/test/servers/server-process.ts";
import { loadAdapter } from "../../src/cli/servers/adapter.ts";
import { fixture, hasStack, millrace, temporaryFolder, type Finished } from "./cli.ts";

const secret = "s3cret-canary";
const graph = `${fixture("asks.ts")}#approval`;
const hasMariaDb = spawnSync("mariadbd", ["--version"]).status === 0;

const kinds = [
  { kind: "postgres", scope: "?schema=cli", missing: "" },
  { kind: "mysql", scope: "?prefix=cli_", missing: hasMariaDb ? "" : "there is no mariadbd on this machine" },
];

function json({ stdout }: Finished): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.each(kinds)("a $kind database", ({ kind, scope, missing }) => {
  let server: { readonly url: string; stop(): Promise<void> } | undefined;
  let url = "";
  let cwd = "";

  beforeAll(async () => {
    if (missing !== "") return;
    server = await startServerProcess(join(import.meta.dirname, `../../../${kind}/test/programs/serve.ts`));
    url = `${server.url}${scope}`;
    cwd = temporaryFolder();
  });
  afterAll(() => server?.stop());
  beforeEach((context) => context.skip(missing !== "", missing));

  /** Whatever a command says, it does not say the password, nor where it was thrown. */
  async function call(db: string, ...args: string[]): Promise<Finished> {
    const finished = await millrace([...args, "--db", db], { cwd });
    const said = finished.stdout + finished.stderr;
    expect([said.includes(secret), hasStack(said)]).toEqual([false, false]);
    return finished;
  }

  test("a run is started, listed, asked, answered from another process, and counted; nothing prints the password", async () => {
    expect(url).toContain(secret);
    const input = JSON.stringify({ to: "you", ledger: join(cwd, "ledger") });
    const asked = await call(url, "run", graph, "--input", input, "--id", "one");
    expect(asked.code).toBe(4);
    expect(asked.stderr).toContain(`--db '${kind}://`);
    const { runs } = json(await call(url, "runs", "--json"));
    expect(runs).toEqual([expect.objectContaining({ id: "one", status: "interrupted" })]);
    expect((await call(url, "inbox")).stdout).toContain("Send it?");
    const answered = await call(url, "answer", "one", "approve", '{"approved":true}', "--graph", graph, "--json");
    expect([answered.code, json(answered)]).toEqual([0, expect.objectContaining({ status: "completed" })]);
    expect((await call(url, "show", "one")).code).toBe(0);
    expect(json(await call(url, "db", "stats", "--json"))).toMatchObject({ runs: { completed: 1 }, owners: 0 });
  });

  test("what looks after files looks after servers where it can, and says so where it cannot", async () => {
    expect(json(await call(url, "db", "fsck", "--json"))).toMatchObject({ ok: true, file: [] });
    expect((await call(url, "db", "migrate")).stdout).toMatch(/ has schema \d+\n$/);
    expect(json(await call(url, "db", "migrate", "--json"))).toMatchObject({ from: null });
    expect((await call(url, "doctor")).code).toBe(0);
    const vacuum = await call(url, "db", "vacuum");
    expect([vacuum.code, vacuum.stdout]).toEqual([2, ""]);
    expect(vacuum.stderr).toContain("is no file");
  });

  test("an address without its password is completed by MILLRACE_DB, so that commands can be pasted as they are shown", async () => {
    const { username, host, pathname, protocol } = new URL(url);
    const shown = `${protocol}//${username}@${host}${pathname}${scope}`;
    const pasted = await millrace(["runs", "--db", shown], { cwd, env: { MILLRACE_DB: url } });
    expect(pasted.code).toBe(0);
    const refused = await call(shown, "runs");
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
  });

  test("mistakes are told by name, and no secret of theirs", async () => {
    const unknown = await call(url, "show", "nobody");
    expect([unknown.code, unknown.stderr.includes('there is no run "nobody" in')]).toEqual([3, true]);
    const wrong = new URL(url);
    wrong.password = `${secret}-wrong`;
    expect((await call(wrong.href, "runs")).stderr).toMatch(/^error: .*(refused the connection|password)/);
    wrong.port = "1";
    expect((await call(wrong.href, "runs")).stderr).toContain("there is no connection to the server");
    const scoped = url.replace(/=cli_?$/, `=${encodeURIComponent("x; DROP TABLE y")}`);
    expect(await call(scoped, "runs")).toMatchObject({ code: 2, stdout: "" });
  });
});

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
