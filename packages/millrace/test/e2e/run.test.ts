import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flows, fixture, hasStack, millrace, paste, start, temporaryFolder, linesOf, until, bin } from "./cli.ts";

describe("run", () => {
  test("prints the output on stdout and nothing else", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await millrace(
      ["run", `${flows}#greet`, "--input", '{"name":"Ada"}', "--db", "runs.db"],
      { cwd },
    );
    expect(stderr).toMatch(/^run (\S+) of greet started\nrun \1 completed after \S+: 1 finished\n$/);
    expect(stdout).toBe('{\n  "text": "Hello, Ada"\n}\n');
    expect(code).toBe(0);
  });

  test("takes the input from a file or from standard input, also as Windows shells write it", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "in.json"), '{"name":"file"}');
    writeFileSync(join(cwd, "utf16.json"), `\uFEFF{"name":"wide"}`, "utf16le");
    const args = (input: string): string[] => ["run", `${flows}#greet`, "--input", input, "--db", "runs.db", "--quiet"];
    const results = await Promise.all([
      millrace(args("@in.json"), { cwd }),
      millrace(args("@utf16.json"), { cwd }),
      millrace(args("-"), { cwd, stdin: '\uFEFF{"name":"pipe"}' }),
    ]);
    expect(results.map((result) => JSON.parse(result.stdout) as unknown)).toEqual([
      { text: "Hello, file" },
      { text: "Hello, wide" },
      { text: "Hello, pipe" },
    ]);
    expect(results.map((result) => result.stderr)).toEqual(["", "", ""]);
  });

  test("--json prints one document with stable names and UTC times (F34)", async () => {
    const cwd = temporaryFolder();
    const { code, stdout } = await millrace(
      ["run", `${flows}#someFail`, "--input", '{"xs":[1,2,3,4]}', "--db", "runs.db", "--id", "run-1", "--json"],
      {
        cwd,
        env: { TZ: "Asia/Kathmandu" },
      },
    );
    expect(code).toBe(0);
    const document = JSON.parse(stdout) as Record<string, unknown>;
    expect(document).toMatchObject({
      id: "run-1",
      graph: "someFail",
      status: "completed",
      epoch: 1,
      input: { xs: [1, 2, 3, 4] },
      output: { odd: [1, 3] },
      errors: [{ node: "oddOnly", type: "RangeError", count: 2, attempts: 1, handled: true }],
    });
    for (const key of ["createdAt", "updatedAt", "endedAt"]) {
      expect(document[key]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(Math.abs(Date.parse(String(document[key])) - Date.now())).toBeLessThan(60_000);
    }
  });

  test("a failed run exits 1, tells why on stderr and prints no output", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await millrace(
      ["run", `${flows}#fails`, "--input", '{"why":"the well is dry"}', "--db", "runs.db"],
      { cwd },
    );
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("error: broken  Error: the well is dry");
    expect(stderr).toContain("at fails/broken, after 1 attempt");
    expect(hasStack(stderr)).toBe(false);
  });

  test("F27 a failed run names the line of the op that threw, and the causes; so does show", async () => {
    const cwd = temporaryFolder();
    const arguments_ = [`${flows}#causes`, "--input", '{"key":"k"}', "--db", "runs.db", "--id", "r"];
    const { stderr } = await millrace(["run", ...arguments_], { cwd });
    const report = stderr.split("\n");
    const at = report.findIndex((line) => line === "error: lookUp  Error: no entry for k");
    expect(report.slice(at + 1, at + 4)).toEqual([
      expect.stringMatching(/^ {2}at .*flows\.ts:\d+:\d+/),
      "  caused by TypeError: the index is closed",
      "  at causes/lookUp, after 1 attempt",
    ]);
    const { stdout } = await millrace(["show", "r", "--db", "runs.db"], { cwd });
    expect(stdout).toContain(report.slice(at + 1, at + 3).join("\n  "));
    const trace = await millrace(["show", "r", "--trace"], { cwd });
    expect(trace.stdout).toMatch(
      /Error: no entry for k\n +at .*flows\.ts:\d+:\d+\n +caused by TypeError: the index is closed\n/,
    );
    const json = await millrace(["show", "r", "--db", "runs.db", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      errors: [
        {
          node: "lookUp",
          causes: ["TypeError: the index is\nclosed"],
          at: expect.stringMatching(/flows\.ts:\d+:\d+\)?$/) as string,
        },
      ],
    });
  });

  test("--errors raise ends the run at the first unhandled failure", async () => {
    const cwd = temporaryFolder();
    const { code } = await millrace(
      ["run", `${flows}#fails`, "--input", '{"why":"x"}', "--db", "runs.db", "--errors", "raise"],
      { cwd },
    );
    expect(code).toBe(1);
  });

  test("what user code logs goes to stderr, and a stray rejection does not end the run", async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await millrace(["run", `${flows}#talks`, "--db", "runs.db"], { cwd });
    expect(JSON.parse(stdout)).toEqual({ said: "done" });
    expect(stderr).toContain("a log line of user code");
    expect(stderr).toContain("warning: a promise that nothing awaits was rejected: Error: nobody waits for this");
    expect(stderr).toMatch(/at .*flows\.ts:\d+:\d+/);
    expect(code).toBe(0);
  });

  test("values without a form in JSON come out readable", async () => {
    const cwd = temporaryFolder();
    const { stdout } = await millrace(["run", `${flows}#values`, "--db", "runs.db"], { cwd });
    expect(JSON.parse(stdout)).toEqual({ date: "1970-01-01T00:00:00.000Z", big: String(2n ** 70n), map: { a: 1 } });
  });

  test("finds the only graph, an export's name and a declared name", async () => {
    const cwd = temporaryFolder();
    const references = ["only.ts", "only.ts#exportedName", "only.ts#declaredName", "only.ts#default"];
    for (const reference of references) {
      const { stdout } = await millrace(["run", fixture(reference), "--input", '{"n":21}', "--db", "runs.db"], { cwd });
      expect(JSON.parse(stdout), reference).toEqual({ n: 42 });
    }
  });

  test("--db may come from MILLRACE_DB", async () => {
    const cwd = temporaryFolder();
    const { code } = await millrace(["run", `${flows}#greet`, "--input", '{"name":"x"}'], {
      cwd,
      env: { MILLRACE_DB: "from-env.db" },
    });
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "from-env.db"))).toBe(true);
  });

  test("H82 a promise that never settles does not look like success", async () => {
    const cwd = temporaryFolder();
    const ledger = join(cwd, "ledger");
    const running = start(["run", `${flows}#never`, "--input", JSON.stringify({ ledger }), "--db", "runs.db"], { cwd });
    await until(() => linesOf(ledger).length > 0, running);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(running.child.exitCode).toBeNull();
    // It drains when it is asked to, for ever.
    running.child.kill("SIGKILL");
    await running.finished;
  });

  test("H82 an op that calls process.exit(0) does not look like success", async () => {
    const { code, stderr } = await millrace(["run", `${flows}#leaves`, "--db", "runs.db"], { cwd: temporaryFolder() });
    expect(code).toBe(1);
    expect(stderr).toContain("error: the process ended before the run did");
  });

  test("H82 a module that never finishes loading does not look like success", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "endless.ts"), "await new Promise(() => {});\n");
    const { code, stderr } = await millrace(["graph", "endless.ts"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("endless.ts was loaded");
  });
});

describe("progress without a terminal", () => {
  test("is a plain line now and then, on stderr only, without control characters", async () => {
    const cwd = temporaryFolder();
    const { stdout, stderr } = await millrace(
      ["run", `${flows}#stream`, "--input", '{"n":200}', "--db", "runs.db", "--durability", "async"],
      { cwd },
    );
    expect(JSON.parse(stdout)).toEqual({ count: 200 });
    // oxlint-disable-next-line no-control-regex -- that there are none is what is tested
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/);
    expect(stderr).toMatch(/completed after/);
  });
});

describe("stopping", () => {
  const input = (ledger: string): string =>
    JSON.stringify({ xs: Array.from({ length: 12 }, (_, x) => x), ledger, ms: 60 });
  const output = { ys: Array.from({ length: 12 }, (_, x) => x * x), sum: 506 };

  test.each(["SIGINT", "SIGTERM"] as const)(
    "R09 %s drains, and the printed command resumes to the uninterrupted result",
    async (signal) => {
      const cwd = temporaryFolder();
      const ledger = join(cwd, "ledger");
      const running = start(["run", `${flows}#squares`, "--input", input(ledger), "--db", "my runs.db"], { cwd });
      await until(() => linesOf(ledger).length >= 4, running);
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.finished;
      expect(stderr).toContain("draining");
      expect(code).toBe(6);
      expect(stdout).toBe("");
      const started = linesOf(ledger).filter((line) => line.startsWith("start"));
      expect(started.length).toBeLessThan(12);
      expect(linesOf(ledger)).toHaveLength(started.length * 2);

      const command = stderr.split("Resume with:\n  ")[1]!.trim();
      expect(command).toMatch(/^millrace resume \S+ --graph \S+flows\.ts#squares --db 'my runs\.db'$/);
      const resumed = await paste(command, { cwd });
      expect(resumed.stderr).toContain("completed after");
      expect(JSON.parse(resumed.stdout)).toEqual(output);
      expect(resumed.code).toBe(0);
      expect(linesOf(ledger).toSorted()).toEqual(
        Array.from({ length: 12 }, (_, x) => [`start ${x}`, `end ${x}`])
          .flat()
          .toSorted(),
      );
    },
  );

  test("a second Ctrl-C stops at once with 130, and the run can be resumed", async () => {
    const cwd = temporaryFolder();
    const ledger = join(cwd, "ledger");
    const running = start(
      ["run", `${flows}#never`, "--input", JSON.stringify({ ledger }), "--db", "runs.db", "--id", "stuck"],
      { cwd },
    );
    await until(() => linesOf(ledger).length > 0, running);
    running.child.kill("SIGINT");
    await until(() => running.stderr().includes("draining"), running);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code).toBe(130);
    expect(stderr).toContain("stopped at once; what had finished is kept. Resume with:\n");
    expect(stderr).toContain(` resume stuck --graph ${flows}#never --db runs.db`);
    const { stdout } = await millrace(["show", "stuck", "--db", "runs.db", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ id: "stuck", endedAt: null });
  });

  test("R11 a killed run resumes to the uninterrupted result without running again what had finished", async () => {
    const cwd = temporaryFolder();
    const ledger = join(cwd, "ledger");
    const running = start(["run", `${flows}#squares`, "--input", input(ledger), "--db", "runs.db", "--id", "killed"], {
      cwd,
    });
    await until(() => linesOf(ledger).filter((line) => line.startsWith("end")).length >= 4, running);
    running.child.kill("SIGKILL");
    await running.finished;
    const resumed = await millrace(["resume", "killed", "--graph", `${flows}#squares`, "--db", "runs.db", "--json"], {
      cwd,
    });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ id: "killed", status: "completed", output, epoch: 2 });
    const starts = linesOf(ledger).filter((line) => line.startsWith("start"));
    expect(new Set(starts).size).toBe(12);
    // What had started and had not been made durable as finished: at most the two in flight and their neighbours.
    expect(starts.length).toBeLessThanOrEqual(12 + 4);
  });

  test("draining with --json prints a document that says how to go on", async () => {
    const cwd = temporaryFolder();
    const ledger = join(cwd, "ledger");
    const running = start(["run", `${flows}#squares`, "--input", input(ledger), "--db", "runs.db", "--json"], { cwd });
    await until(() => linesOf(ledger).length >= 2, running);
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "drained",
      resume: expect.stringContaining(" resume ") as string,
      errors: [],
    });
  });
});

test("the program can be executed as a file", () => {
  expect(readFileSync(bin, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
});
