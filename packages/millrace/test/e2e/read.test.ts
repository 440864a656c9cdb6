import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { flows, fixture, hasStack, millrace, temporaryFolder } from "./cli.ts";

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Three runs that the tests look at; looking changes nothing. */
const cwd = temporaryFolder();
beforeAll(async () => {
  await millrace(["run", `${flows}#greet`, "--input", '{"name":"a"}', "--db", "runs.db", "--id", "first"], { cwd });
  await millrace(["run", `${flows}#someFail`, "--input", '{"xs":[1,2,4]}', "--db", "runs.db", "--id", "second"], {
    cwd,
  });
  await millrace(["run", `${flows}#fails`, "--input", '{"why":"dry"}', "--db", "runs.db", "--id", "third"], { cwd });
});

describe("runs", () => {
  test("F34 lists the newest first in a table whose headers say UTC, whatever the machine's zone", async () => {
    const { code, stdout, stderr } = await millrace(["runs", "--db", "runs.db"], {
      cwd,
      env: { TZ: "Pacific/Auckland" },
    });
    const [header, ...rows] = stdout.trimEnd().split("\n");
    expect(header).toMatch(/^ID +GRAPH +STATUS +CREATED \(UTC\) +UPDATED \(UTC\) +TOOK +RECORDS$/);
    expect(rows.map((row) => row.split(/ {2,}/).slice(0, 3))).toEqual([
      ["third", "fails", "failed"],
      ["second", "someFail", "completed"],
      ["first", "greet", "completed"],
    ]);
    const shown = Date.parse(`${rows[0]!.split(/ {2,}/)[3]!.replace(" ", "T")}Z`);
    expect(Math.abs(shown - Date.now())).toBeLessThan(60_000);
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("filters by status and graph, and says when there are more", async () => {
    const ids = async (...args: string[]): Promise<unknown> => {
      const { stdout } = await millrace(["runs", "--db", "runs.db", "--json", ...args], { cwd });
      const { runs, more } = JSON.parse(stdout) as { runs: { id: string }[]; more: boolean };
      return [runs.map((run) => run.id), more];
    };
    expect(await ids("--status", "failed,drained")).toEqual([["third"], false]);
    expect(await ids("--graph", "greet")).toEqual([["first"], false]);
    expect(await ids("--limit", "2")).toEqual([["third", "second"], true]);
    expect(await ids("--graph", "nothing")).toEqual([[], false]);
  });

  test("--json has stable names and ISO times in UTC", async () => {
    const { stdout } = await millrace(["runs", "--db", "runs.db", "--limit", "1", "--json"], { cwd });
    const { runs } = JSON.parse(stdout) as { runs: Record<string, unknown>[] };
    expect(Object.keys(runs[0]!)).toEqual([
      "id",
      "graph",
      "status",
      "fingerprint",
      "epoch",
      "records",
      "createdAt",
      "updatedAt",
      "endedAt",
      "durationMs",
      "traceId",
      "labels",
      "waitsForWorker",
    ]);
    expect(runs[0]!["createdAt"]).toMatch(iso);
    expect(runs[0]!["fingerprint"]).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe("show", () => {
  test("F34 tells status, times, nodes, errors, input and output", async () => {
    const { code, stdout, stderr } = await millrace(["show", "second", "--db", "runs.db"], {
      cwd,
      env: { TZ: "Pacific/Auckland" },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^run {6}second$/m);
    expect(stdout).toMatch(/^status {3}completed$/m);
    expect(stdout).toMatch(/^created {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/m);
    expect(stdout).toMatch(/^ended {4}\S+Z$/m);
    expect(stdout).toMatch(/^NODE +FINISHED {2}FAILED$/m);
    expect(stdout).toMatch(/^ {2}oddOnly +1 +2$/m);
    expect(stdout).toContain("oddOnly ×2  RangeError: 2 is even");
    expect(stdout).toContain("first at someFail/input.xs[1]/oddOnly, after 1 attempt, handled by the graph");
    expect(stdout).toMatch(/^OUTPUT\n {2}\{ odd: \[ 1 \] \}$/m);
    // An error message that holds escape codes cannot colour the terminal.
    expect(stdout).not.toContain("\u001B");
  });

  test("--json has everything", async () => {
    const { stdout } = await millrace(["show", "third", "--db", "runs.db", "--json"], { cwd });
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect(document).toMatchObject({
      id: "third",
      graph: "fails",
      status: "failed",
      input: { why: "dry" },
      errors: [
        { node: "broken", path: "fails/broken", type: "Error", message: "dry", attempts: 1, count: 1, handled: false },
      ],
    });
    expect(document).not.toHaveProperty("output");
    expect(document["nodes"]).toContainEqual({ node: "broken", finished: 0, failed: 1 });
    expect([document["createdAt"], document["updatedAt"], document["endedAt"]]).toEqual([
      expect.stringMatching(iso),
      expect.stringMatching(iso),
      expect.stringMatching(iso),
    ]);
  });

  test("an unknown id is not found, and a near one is named", async () => {
    const { code, stdout, stderr } = await millrace(["show", "secnod", "--db", "runs.db"], { cwd });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain('error: there is no run "secnod" in runs.db');
    expect(stderr).toContain("did you mean second?");
    expect(stderr).toContain("runs --db runs.db lists what is there");
  });
});

test.each([
  ["runs", ["runs"]],
  ["show", ["show", "x"]],
  ["resume", ["resume", "x", "--graph", `${flows}#greet`]],
])("%s does not create a database that is not there", async (_, args) => {
  const { code, stderr } = await millrace([...args, "--db", "none.db"], { cwd });
  expect(code).toBe(3);
  expect(stderr).toContain("error: there is no database none.db");
  expect(existsSync(join(cwd, "none.db"))).toBe(false);
});

test("resume of an unknown run is not found", async () => {
  const { code, stderr } = await millrace(["resume", "fourth", "--graph", `${flows}#greet`, "--db", "runs.db"], {
    cwd,
  });
  expect(code).toBe(3);
  expect(stderr).toContain('there is no run "fourth"');
});

describe("graph", () => {
  test("prints Mermaid by default", async () => {
    const { code, stdout, stderr } = await millrace(["graph", `${flows}#squares`]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^(?:flowchart|graph) /m);
    expect(stdout).toContain("square");
  });

  test("prints JSON that a program can read", async () => {
    const { code, stdout } = await millrace(["graph", fixture("only.ts"), "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: "declaredName",
      fingerprint: expect.stringMatching(/^sha256:/) as string,
    });
  });
});

describe("help", () => {
  test("F30 every command that is listed exists, explains itself with examples and has its exit codes told", async () => {
    const overview = (await millrace(["--help"])).stdout;
    const commands = [...overview.split("Commands:")[1]!.matchAll(/^ {2}([a-z]+) .*$/gm)].map((match) => match[1]!);
    expect(commands.join(" ")).toBe(
      "run runs show history resume retry fork diff inbox answer cancel drain graph store thread db export import check doctor help",
    );
    expect(overview).toContain("Exit codes: 0 ok, 1 failed, 2 usage, 3 not found");
    const ofDb = (await millrace(["db", "--help"])).stdout.split("Commands:")[1]!;
    const subcommands = [...ofDb.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map((match) => `db ${match[1]}`);
    expect(subcommands).toEqual([
      "db stats",
      "db prune",
      "db compact",
      "db migrate",
      "db fsck",
      "db vacuum",
      "db restored",
    ]);
    for (const command of [...commands, ...subcommands].filter((name) => name !== "help")) {
      const { code, stdout, stderr } = await millrace([...command.split(" "), "--help"]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout, command).toContain(`Usage: millrace ${command}`);
      expect(stdout, command).toMatch(/Examples:\n {2}\$ millrace /);
    }
  });

  test("F30 no command prints a stack trace on a valid graph", async () => {
    const graph = `${flows}#greet`;
    const results = await Promise.all(
      [
        ["run", graph, "--input", '{"name":"a"}', "--db", "others.db"],
        ["run", graph, "--input", "7", "--db", "others.db"],
        ["runs", "--db", "runs.db"],
        ["show", "first", "--db", "runs.db"],
        ["resume", "first", "--graph", graph, "--db", "runs.db"],
        ["inbox", "--db", "runs.db"],
        ["cancel", "first", "--db", "runs.db"],
        ["drain", "first", "--db", "runs.db"],
        ["answer", "first", "ask", "1", "--db", "runs.db"],
        ["db", "stats", "--db", "runs.db"],
        ["db", "fsck", "--db", "runs.db"],
        ["db", "prune", "--older-than", "never", "--db", "runs.db"],
        ["export", "first", "--db", "runs.db"],
        ["import", flows, "--db", "runs.db"],
        ["check", "--against", "runs.db", flows],
        ["doctor", "--db", "runs.db"],
        ["graph", graph],
        ["graph", graph, "--format", "json"],
      ].map((args) => millrace(args, { cwd })),
    );
    for (const result of results) expect(hasStack(result.stdout + result.stderr), result.stderr).toBe(false);
  });

  test("--version is the package's", async () => {
    expect((await millrace(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
