import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flows, millrace, temporaryFolder } from "./cli.ts";

const db = ["--db", "runs.db"];

async function greeted(cwd: string, id: string, ...marks: string[]): Promise<void> {
  const args = ["run", `${flows}#greet`, "--input", '{"name":"a"}', ...db, "--id", id, "--quiet", ...marks];
  expect((await millrace(args, { cwd })).code).toBe(0);
}

test("R32 run takes labels and a trace id, runs filters by them, and show and --json tell them", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), "{}");
  await greeted(cwd, "first", "--label", "user=ann", "--label", "note=a = b", "--trace-id", "00-4bf92f-01");
  await greeted(cwd, "second", "--label", "user=ann");
  await greeted(cwd, "third", "--no-trace");

  const ids = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await millrace(["runs", ...db, "--json", ...args], { cwd });
    return (JSON.parse(stdout) as { runs: { id: string }[] }).runs.map((run) => run.id);
  };
  expect(await ids("--label", "user=ann")).toEqual(["second", "first"]);
  expect(await ids("--label", "user=ann", "--label", "note=a = b")).toEqual(["first"]);
  expect(await ids("--label", "user=bob")).toEqual([]);

  const listed = await millrace(["runs", ...db], { cwd });
  expect(listed.stdout).toMatch(/ LABELS$/m);
  expect(listed.stdout).toMatch(/^first .* user=ann note="a = b"$/m);

  const page = await millrace(["show", "first", ...db], { cwd });
  expect(page.stdout).toMatch(/^trace {4}00-4bf92f-01$/m);
  expect(page.stdout).toMatch(/^labels {3}user=ann note="a = b"$/m);
  expect((await millrace(["show", "third", ...db], { cwd })).stdout).not.toMatch(/^(?:trace|labels) /m);
  const marked = { id: "first", traceId: "00-4bf92f-01", labels: { user: "ann", note: "a = b" } };
  expect(JSON.parse((await millrace(["show", "first", ...db, "--json"], { cwd })).stdout)).toMatchObject(marked);
  const plain = JSON.parse((await millrace(["show", "third", ...db, "--json"], { cwd })).stdout) as object;
  expect(plain).toMatchObject({ traceId: null, labels: {} });

  const traced = await millrace(["show", "first", "--trace"], { cwd });
  expect(traced.stdout.split("\n")[1]).toBe('  trace 00-4bf92f-01  user=ann note="a = b"');
  expect(JSON.parse((await millrace(["show", "first", "--trace", "--json"], { cwd })).stdout)).toMatchObject(marked);
});

test("R32 labels that are none are refused before there is a run", async () => {
  const cwd = temporaryFolder();
  const refused = async (...marks: string[]): Promise<string> => {
    const args = ["run", `${flows}#greet`, "--input", '{"name":"a"}', ...db, "--no-trace", ...marks];
    const { code, stdout, stderr } = await millrace(args, { cwd });
    expect([code === 0, stdout]).toEqual([false, ""]);
    return stderr;
  };
  expect(await refused("--label", "ann")).toContain('"ann" is not key=value');
  expect(await refused("--label", "=ann")).toContain('"=ann" is not key=value');
  expect(await refused("--label", "user=ann", "--label", "user=bob")).toContain('there is one "user" already');
  expect(await refused("--label", "user name=ann")).toContain('"user name" is not');
  expect(await refused("--trace-id", "a b")).toContain("traceId must be 1 to 128 visible ASCII characters");
  const { stdout } = await millrace(["runs", ...db, "--json"], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ runs: [] });
});
