import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flows, linesOf, millrace, start, temporaryFolder, until } from "./cli.ts";

/** A project with a folder in it. */
function project(): { readonly cwd: string; readonly deeper: string } {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "package.json"), "{}");
  mkdirSync(join(cwd, "deeper"));
  return { cwd, deeper: join(cwd, "deeper") };
}

interface Node {
  readonly name: string;
  readonly status?: string;
  readonly children?: readonly Node[];
}

test("F11 F12 a run is traced into its project under its graph's name, and show --trace prints it as a tree", async () => {
  const { cwd, deeper } = project();
  const input = '{"xs":[1,2]}';
  await millrace(["run", `${flows}#someFail`, "--input", input, "--db", "runs.db", "--id", "r"], { cwd: deeper });
  expect(existsSync(join(cwd, ".millrace", "traces.db"))).toBe(true);
  const { code, stdout, stderr } = await millrace(["show", "r", "--trace"], { cwd });
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^run r {2}someFail {2}completed {2}\d{4}-\S+Z {2}took \d+ms$/);
  expect(lines.slice(1)).toEqual([
    "input  finished",
    '  out  {"xs":[1,2]}',
    "input.xs",
    "  [0]",
    expect.stringMatching(/^ {4}oddOnly {2}finished {2}\d+ms$/),
    '      in   {"x":1}',
    '      out  {"x":1}',
    "  [1]",
    expect.stringMatching(/^ {4}oddOnly {2}failed {2}\d+ms$/),
    "      RangeError: 2 is even",
    expect.stringMatching(/^ {8}at .*flows\.ts:\d+:\d+$/),
    '      in   {"x":2}',
  ]);
});

test("show --trace tells which outputs came from the cache", async () => {
  const { cwd } = project();
  const input = '{"xs":[7,7]}';
  await millrace(["run", `${flows}#repeated`, "--input", input, "--db", "runs.db", "--id", "r", "--quiet"], { cwd });
  const { stdout } = await millrace(["show", "r", "--trace"], { cwd });
  const lines = stdout.split("\n").filter((line) => line.includes("half"));
  expect(lines).toEqual([
    expect.stringMatching(/^ {4}half {2}finished {2}\d+ms$/),
    "    half  finished  from the cache",
  ]);
  const { stdout: json } = await millrace(["show", "r", "--trace", "--json"], { cwd });
  expect([...json.matchAll(/"cached": ?(\w+)/g)].map(([, cached]) => cached)).toEqual(
    expect.arrayContaining(["true", "false"]),
  );
});

test("show --trace --json has the tree with attempts, causes and times", async () => {
  const { cwd } = project();
  await millrace(["run", `${flows}#stream`, "--input", '{"n":2}', "--db", "runs.db", "--id", "r", "--quiet"], { cwd });
  const { stdout } = await millrace(["show", "r", "--trace", "--json"], { cwd });
  const document = JSON.parse(stdout) as { tree: Node[] };
  expect(document).toMatchObject({ id: "r", graph: "stream", status: "completed", dropped: 0 });
  const tell = document.tree.find(({ name }) => name === "tell");
  expect(tell).toMatchObject({
    kind: "op",
    status: "finished",
    yields: 2,
    tries: [{ attempt: 1, error: null }],
    children: [
      {
        name: "[0]",
        yielded: { i: 0 },
        children: [
          { name: "step", upstream: ["tell"], output: { i: 0 } },
          { name: "again", upstream: ["step"] },
        ],
      },
      { name: "[1]", yielded: { i: 1 } },
    ],
  });
});

test("P2.1 P2.2 the trace of a run is read while it goes on, and after its process was killed", async () => {
  const { cwd } = project();
  const ledger = join(cwd, "ledger");
  const input = JSON.stringify({ ledger });
  const running = start(["run", `${flows}#never`, "--input", input, "--db", "runs.db", "--id", "r"], { cwd });
  await until(() => linesOf(ledger).length === 1, running);
  const statuses = async (): Promise<unknown> => {
    const { stdout } = await millrace(["show", "r", "--trace", "--json"], { cwd });
    const { status, tree } = JSON.parse(stdout || '{"tree":[]}') as { status: string; tree: Node[] };
    return [status, tree.map((node) => `${node.name} ${node.status}`)];
  };
  await expect.poll(statuses, { timeout: 20_000 }).toEqual(["running", ["input finished", "hang running"]]);
  running.child.kill("SIGKILL");
  await running.finished;
  expect(await statuses()).toEqual(["running", ["input finished", "hang running"]]);
});

test("a part that is excluded is in no file of the project's traces, and --no-trace leaves none", async () => {
  const { cwd } = project();
  const args = ["run", `${flows}#greet`, "--input", '{"name":"canary-91"}', "--db", "runs.db"];
  await millrace([...args, "--id", "r", "--trace-exclude", "*.input.name", "input.output.name", "hello.output"], {
    cwd,
  });
  const folder = join(cwd, ".millrace");
  for (const name of readdirSync(folder))
    expect(readFileSync(join(folder, name)).includes("canary-91"), name).toBe(false);
  expect((await millrace(["show", "r", "--trace"], { cwd })).stdout).toContain('in   {"name":"[excluded]"}');
  const other = project();
  expect((await millrace([...args, "--no-trace"], { cwd: other.cwd })).code).toBe(0);
  expect(existsSync(join(other.cwd, ".millrace"))).toBe(false);
});

test("a trace that is not there, and a run without a database, are refused with what to do", async () => {
  const { cwd } = project();
  await millrace(["run", `${flows}#greet`, "--input", '{"name":"a"}', "--db", "runs.db", "--id", "nightly-7"], { cwd });
  const wrong = await millrace(["show", "nightly-8", "--trace"], { cwd });
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toMatch(/there is no trace of run nightly-8[^]*did you mean nightly-7\?/);
  const without = await millrace(["show", "nightly-7"], { cwd });
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("required option '--db <file>' not specified");
});
