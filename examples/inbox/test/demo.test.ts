import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { messageIds } from "../src/corpus.ts";
import { help, readOptions, UsageError } from "../src/demo/options.ts";
import { reportJson } from "../src/report.ts";
import { readAll, triage } from "./support/plain-triage.ts";
import { paste, runDemo, startDemo, temporaryFolder } from "./support/run-demo.ts";

/** Several processes, each of which loads the engine and parses mail, on a machine that may have more to do. */
const timeout = 120_000;

interface Summary {
  readonly ok: boolean;
  readonly differed: readonly string[];
  readonly crash: Readonly<
    Record<"finishedBefore" | "inFlight" | "bodiesAtWork" | "ranAgain" | "finishedAndAgain", Counts>
  > | null;
}
type Counts = Readonly<Record<string, number>> & { readonly total: number };

async function plainReport(every: number): Promise<string> {
  const ids = [...messageIds()].filter((_, index) => index % every === 0);
  return reportJson(triage(await readAll(ids)));
}

describe("the demo", () => {
  it("is killed half-way, resumes, and gives the report of a plain loop", { timeout }, async () => {
    const dir = temporaryFolder();
    const { code, stdout, stderr } = await runDemo(["--every", "20", "--dir", dir, "--json"]);
    expect(stderr).toContain("SIGKILL ended worker");
    expect(code, stderr).toBe(0);

    const { ok, differed, crash } = JSON.parse(stdout) as Summary;
    expect({ ok, differed }).toEqual({ ok: true, differed: [] });
    expect(crash?.finishedBefore.total).toBeGreaterThan(100);
    expect(crash?.finishedBefore["classify"]).toBeUndefined();
    expect(crash?.ranAgain).toEqual(crash?.inFlight);
    // Four of `parse`, four of `describe` and the generator of messages: no more bodies can be at work.
    expect(crash?.bodiesAtWork.total).toBeLessThanOrEqual(9);
    expect(crash?.finishedAndAgain.total).toBe(0);
    expect(readFileSync(join(dir, "report.json"), "utf8")).toBe(await plainReport(20));
  });

  it("does the job alone with --no-crash", { timeout }, async () => {
    const dir = temporaryFolder();
    const args = ["--no-crash", "--every", "40", "--dir", dir, "--durability", "sync"];
    const { code, stdout, stderr } = await runDemo(args);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("152 messages: ");
    expect(stdout).toContain("accuracy");
    expect(stdout).not.toContain("SIGKILL");
    expect(stdout).toContain("Everything held.");
    expect(readFileSync(join(dir, "report.json"), "utf8")).toBe(await plainReport(40));
  });

  it("stops at Ctrl-C with exit code 6 and says how to go on", { timeout }, async () => {
    const dir = temporaryFolder();
    const running = startDemo(["--no-crash", "--every", "10", "--dir", dir]);
    await running.says("run demo of inbox started");
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code, stderr).toBe(6);
    const command = /^ +(npx millrace resume .*)$/m.exec(stderr)?.[1] ?? "";
    const resumed = await paste(command);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(readFileSync(join(dir, "report.json"), "utf8")).toBe(await plainReport(10));
  });

  it("refuses a command line nobody can follow with exit code 2", { timeout }, async () => {
    const { code, stdout, stderr } = await runDemo(["--every", "0"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('--every takes a whole number from 1 to 9999, not "0"\nSee: npm run demo -- --help');
  });
});

describe("the demo's options", () => {
  const read = (...args: string[]) => readOptions(args, { INIT_CWD: "/home/me" });

  it("are all messages, a crash and async durability unless told otherwise", () => {
    expect(read()).toMatchObject({ every: 1, crash: true, durability: "async", json: false });
    const all = read("--no-crash", "--every", "9", "--durability", "sync", "--json");
    expect(all).toMatchObject({ every: 9, crash: false, durability: "sync", json: true });
  });

  it("take a folder relative to where the user is", () => {
    expect(read("--dir", "work")).toMatchObject({ dir: resolve("/home/me/work") });
  });

  it("explain themselves", () => {
    expect(read("--help")).toBe("help");
    for (const name of ["--no-crash", "--every", "--dir", "--durability", "--json"]) expect(help).toContain(name);
  });

  it.each([
    [["--crash"], "--crash"],
    [["--durability", "exit"], '--durability is async or sync, not "exit"'],
    [["--every", "1.5"], "whole number"],
    [["--dir"], "--dir"],
    [["more"], "more"],
  ])("refuse %j", (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
