import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  bin,
  fixture,
  hasStack,
  linesOf,
  millrace,
  paste,
  start,
  temporaryFolder,
  until,
  type Finished,
  type How,
  type Running,
} from "./cli.ts";

const asks = fixture("asks.ts");

interface Project {
  readonly cwd: string;
  readonly ledger: string;
  readonly run: (graph: string, input: object, ...args: string[]) => Promise<Finished>;
  readonly answer: (graph: string, run: string, args: readonly string[], how?: How) => Promise<Finished>;
  readonly status: (run: string) => Promise<Record<string, unknown>>;
}

function project(): Project {
  const cwd = temporaryFolder();
  const on = (graph: string): string[] => ["--graph", `${asks}#${graph}`, "--db", "runs.db"];
  return {
    cwd,
    ledger: join(cwd, "ledger"),
    run: (graph, input, ...args) =>
      millrace(["run", `${asks}#${graph}`, "--input", JSON.stringify(input), "--db", "runs.db", ...args], { cwd }),
    answer: (graph, run, args, how) => millrace(["answer", run, ...args, ...on(graph)], { cwd, ...how }),
    status: async (run) => {
      const { stdout } = await millrace(["show", run, "--db", "runs.db", "--json"], { cwd });
      return JSON.parse(stdout) as Record<string, unknown>;
    },
  };
}

test("P3.2 F14 a run that asks exits 4 and says how to answer; another process answers and goes on, and nothing is done twice", async () => {
  const { cwd, ledger, run, status } = project();
  const asked = await run("approval", { to: "you", ledger }, "--id", "one");
  expect([asked.code, asked.stdout]).toEqual([4, ""]);
  expect(asked.stderr).toMatch(/^run one interrupted after \S+: 1 finished$/m);
  expect(asked.stderr).toMatch(/^waiting for 1 answer:\n {2}approve {2}Send it\?\n {4}id {7}[0-9a-f]{32}$/m);
  expect(asked.stderr).toMatch(/^ {4}asks {5}\{"text":"plan you"\}\n {4}at {7}approval\/approve$/m);
  expect(asked.stderr).toMatch(/^ {4}due {6}\d{4}-\S+Z, in 2d 23h$|^ {4}due {6}\S+Z, in 3d 00h$/m);
  expect(linesOf(ledger)).toEqual(["plan you"]);
  expect(await status("one")).toMatchObject({
    status: "interrupted",
    endedAt: null,
    interrupts: [{ node: "approve", path: "approval/approve", payload: { text: "plan you" } }],
  });

  const command = asked.stderr.split("Answer with:\n  ")[1]!.trim();
  expect(command).toContain(" answer one approve --value '<json>' --graph ");
  const answered = await paste(command.replace("<json>", '{"approved":true}'), { cwd });
  expect(JSON.parse(answered.stdout)).toEqual({ sent: "send you" });
  expect(answered.stderr).toContain("run one completed");
  expect(answered.code).toBe(0);
  expect(linesOf(ledger)).toEqual(["plan you", "send you"]);
  expect(await status("one")).toMatchObject({ status: "completed", interrupts: [] });
});

/** Works on one thing and has asked another, durably. */
async function startBusy({ cwd, ledger, status }: Project): Promise<Running> {
  const args = ["run", `${asks}#busy`, "--input", JSON.stringify({ ledger }), "--db", "runs.db", "--id", "busy"];
  const running = start(args, { cwd });
  await until(() => linesOf(ledger).length > 0, running);
  await expect.poll(() => status("busy"), { timeout: 60_000 }).toMatchObject({ interrupts: [{ node: "approve" }] });
  return running;
}

test("a run killed while it asks and works goes on with the answer", async () => {
  const made = project();
  const running = await startBusy(made);
  running.child.kill("SIGKILL");
  await running.finished;
  writeFileSync(`${made.ledger}.go`, "");
  const { code, stdout } = await made.answer("busy", "busy", ["--value", '{"approved":true}']);
  expect(JSON.parse(stdout)).toEqual({ ok: true, slow: true });
  expect(code).toBe(0);
});

test("Ctrl-C while a question is open drains, tells of the question, and the answer goes on with the run", async () => {
  const made = project();
  const running = await startBusy(made);
  running.child.kill("SIGINT");
  await until(() => running.stderr().includes("draining"), running);
  writeFileSync(`${made.ledger}.go`, "");
  const { code, stderr } = await running.finished;
  expect(code).toBe(6);
  expect(stderr).toContain("waiting for 1 answer:\n  approve\n");
  expect(stderr).toContain("Resume with:\n");
  expect(await made.status("busy")).toMatchObject({ status: "drained", interrupts: [{ node: "approve" }] });
  const wrong = await made.answer("busy", "busy", ["--value", "7"]);
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(await made.status("busy")).toMatchObject({ interrupts: [{ node: "approve" }] });
  const answered = await made.answer("busy", "busy", ["--value", '{"approved":false}']);
  expect(JSON.parse(answered.stdout)).toEqual({ ok: false, slow: true });
  expect(linesOf(made.ledger)).toEqual(["slowly"]);
});

test("P3.2 an answer that came while the run was being put aside is taken up: it does not exit as if it waited", async () => {
  const { cwd, run } = project();
  const value = '{"approved":true}';
  const answer = [process.execPath, bin, "answer", "late", "approve", value, "--db", join(cwd, "runs.db")];
  const { code, stdout, stderr } = await run("late", { answer }, "--id", "late", "--no-trace");
  expect([code, JSON.parse(stdout)]).toEqual([0, { ok: true, done: true }]);
  expect(stderr).not.toContain("waiting for");
});

test("with --json the open questions and the commands that answer stand on stdout", async () => {
  const { run, ledger } = project();
  const { code, stdout } = await run("approval", { to: "you", ledger }, "--json", "--quiet");
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "interrupted",
    interrupts: [
      {
        node: "approve",
        title: "Send it?",
        payload: { text: "plan you" },
        due: expect.stringMatching(/^\d{4}-\S+Z$/) as string,
        answer: expect.stringContaining(" approve --value '<json>' ") as string,
      },
    ],
  });
});

test("a wrong answer is told by field, exits 2, and leaves the question open", async () => {
  const { run, ledger, answer, status } = project();
  await run("approval", { to: "you", ledger }, "--id", "one");
  const wrong = await answer("approval", "one", ["--value", '{"approved":"maybe"}']);
  expect([wrong.code, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toMatch(/error: .*the answer to "approve".*approved.*expected boolean/);
  expect(hasStack(wrong.stderr)).toBe(false);
  expect(await status("one")).toMatchObject({ status: "interrupted", interrupts: [{ node: "approve" }] });
  const malformed = await answer("approval", "one", ["--value", "{approved:true}"]);
  expect(malformed.code).toBe(2);
  expect(malformed.stderr).toContain("the answer from --value is not JSON");
  expect(malformed.stderr).toContain("--value @file.json");
  expect((await answer("approval", "one", ["approve", "--value", '{"approved":false}'])).code).toBe(0);
  expect(linesOf(ledger)).toEqual(["plan you", "send nobody"]);
});

test("of several questions one must be named; each answer goes on to the next rest", async () => {
  const { run, answer, cwd } = project();
  const asked = await run("poll", { names: ["a", "b"] }, "--id", "many");
  expect(asked.code).toBe(4);
  expect(asked.stderr).toContain("waiting for 2 answers:");

  const unnamed = await answer("poll", "many", ["--value", '{"age":1}']);
  expect([unnamed.code, unnamed.stdout]).toEqual([2, ""]);
  expect(unnamed.stderr).toContain("error: run many has 2 open questions: say which one is answered");
  expect(unnamed.stderr).toContain('asks     {"name":"b"}');
  expect((await answer("poll", "many", ["ask", "--value", '{"age":1}'])).stderr).toContain(
    '2 open questions called "ask"',
  );

  const first = await answer("poll", "many", ["poll/input.names[1]/ask", "--value", "-"], { stdin: '{"age":2}' });
  expect(first.code).toBe(4);
  expect(first.stderr).toContain("waiting for 1 answer:");
  writeFileSync(join(cwd, "answer.json"), '{"age":1}');
  const last = await answer("poll", "many", ["--value", "@answer.json", "--by", "ada"]);
  expect(JSON.parse(last.stdout)).toEqual({ ages: [1, 2] });
});

test("a question that is not open exits 3 and names those that are", async () => {
  const { run, ledger, answer } = project();
  await run("approval", { to: "you", ledger }, "--id", "one");
  const unknown = await answer("approval", "one", ["aprove", "--value", "1"]);
  expect(unknown.code).toBe(3);
  expect(unknown.stderr).toContain('error: run one has no open question "aprove"');
  expect(unknown.stderr).toContain("hint: did you mean approve?");
  expect(unknown.stderr).toContain("  approve  Send it?\n");
  const nobody = await answer("approval", "oen", ["--value", "1"]);
  expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining("did you mean one?")]);
  await answer("approval", "one", ["--value", '{"approved":true}']);
  const late = await answer("approval", "one", ["approve", "--value", '{"approved":true}']);
  expect(late.code).toBe(5);
  expect(late.stderr).toContain("run one has ended: it is completed and asks nothing any more");
  expect((await answer("poll", "one", ["--value", "1"])).code).toBe(5);
});

test("show and runs tell of open questions, and resume only says again what is open", async () => {
  const { cwd, run, ledger } = project();
  await run("approval", { to: "you", ledger }, "--id", "one");
  const shown = await millrace(["show", "one", "--db", "runs.db"], { cwd });
  expect(shown.stdout).toMatch(/^status {3}interrupted$/m);
  expect(shown.stdout).toMatch(
    /^OPEN QUESTIONS\n {2}approve {2}Send it\?\n {4}id {7}[0-9a-f]{32}\n {4}asks {5}\{"text"/m,
  );
  const listed = await millrace(["runs", "--db", "runs.db", "--status", "interrupted"], { cwd });
  expect(listed.stdout).toMatch(/^one +approval +interrupted/m);
  const resumed = await millrace(["resume", "one", "--graph", `${asks}#approval`, "--db", "runs.db"], { cwd });
  expect(resumed.code).toBe(4);
  expect(resumed.stderr).toContain("waiting for 1 answer:\n  approve  Send it?");
  expect(linesOf(ledger)).toEqual(["plan you"]);
});
