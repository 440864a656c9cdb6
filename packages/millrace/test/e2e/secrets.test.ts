import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture, millrace, temporaryFolder } from "./cli.ts";

const canary = "cli-canary/77 a1b2";
const flow = `${fixture("secrets.ts")}#enter`;

function everyByteOf(path: string): string {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

test("HAZARDS 9: a secret by the name of an environment variable is used, and printed and stored nowhere", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), "{}");
  const how = { cwd, env: { FIXTURE_KEY: canary } };
  const run = (user: string, id: string) =>
    millrace(["run", flow, "--input", JSON.stringify({ user }), "--db", "runs.db", "--id", id], how);
  const good = await run("ann", "good");
  expect([good.code, good.stdout]).toEqual([0, expect.stringContaining("ann, 18 characters")]);
  const outputs = [good, await run("nobody", "bad")];
  expect(outputs[1]?.code).toBe(1);
  for (const args of [
    ["show", "bad", "--db", "runs.db"],
    ["show", "bad", "--db", "runs.db", "--json"],
    ["show", "bad", "--trace"],
  ])
    outputs.push(await millrace(args, how));
  for (const { stdout, stderr } of outputs)
    for (const form of [canary, encodeURIComponent(canary), "77 a1b2"])
      expect(`${stdout} ${stderr}`).not.toContain(form);
  expect(outputs.some(({ stdout, stderr }) => `${stdout} ${stderr}`.includes("key=[redacted]"))).toBe(true);
  const stored = everyByteOf(cwd);
  expect(stored).toContain("[redacted]");
  expect(stored).not.toContain("a1b2");
});

test("HAZARDS 10: with MILLRACE_KEYS the database is encrypted; without them it is not read, and says why", async () => {
  const cwd = temporaryFolder();
  const [key, next] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const args = ["run", flow, "--input", '{"user":"ann-in-the-clear"}', "--db", "runs.db", "--id", "r", "--no-trace"];
  const env = { FIXTURE_KEY: canary, MILLRACE_KEYS: key };
  expect((await millrace(args, { cwd, env })).code).toBe(0);
  expect(everyByteOf(cwd)).not.toContain("ann-in-the-clear");
  const show = ["show", "r", "--db", "runs.db"];
  const without = await millrace(show, { cwd });
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("is encrypted")]);
  const rotated = await millrace([...show, "--json"], { cwd, env: { MILLRACE_KEYS: `${next}, ${key}` } });
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringContaining("ann-in-the-clear")]);
  const wrong = await millrace(show, { cwd, env: { MILLRACE_KEYS: next } });
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("not among the keys")]);
  expect(wrong.stderr).not.toContain(next);
});

test("HAZARDS 10: with MILLRACE_KEYS a database is looked after as any other, and what is imported is encrypted", async () => {
  const cwd = temporaryFolder();
  const env = { FIXTURE_KEY: canary, MILLRACE_KEYS: randomBytes(32).toString("base64") };
  const call = (...args: string[]) => millrace(args, { cwd, env });
  await call("run", flow, "--input", '{"user":"ann-in-the-clear"}', "--db", "runs.db", "--id", "r", "--no-trace");
  const exported = await call("export", "--all", "--db", "runs.db");
  expect([exported.code, exported.stdout]).toEqual([0, expect.stringContaining("ann-in-the-clear")]);
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, "all.jsonl"), exported.stdout);
  const imported = await call("import", join(elsewhere, "all.jsonl"), "--db", "other.db");
  expect([imported.code, imported.stderr]).toEqual([0, "imported 1 run\n"]);
  expect(everyByteOf(cwd)).not.toContain("ann-in-the-clear");
  expect((await call("export", "--all", "--db", "other.db")).stdout).toBe(exported.stdout);
  for (const command of ["fsck", "stats", "vacuum", "migrate"])
    expect([command, (await call("db", command, "--db", "other.db")).code]).toEqual([command, 0]);
  expect((await call("show", "r", "--db", "other.db", "--json")).stdout).toContain("ann-in-the-clear");
});
