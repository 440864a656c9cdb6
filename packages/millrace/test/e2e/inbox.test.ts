/** Questions, answers and wishes of runs that other processes drive, or nobody. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import {
  type Finished,
  fixture,
  hasStack,
  linesOf,
  millrace,
  type Running,
  start,
  temporaryFolder,
  until,
} from "./cli.ts";

const asks = fixture("asks.ts");
let cwd = "";
let ledger = "";
beforeEach(() => {
  cwd = temporaryFolder();
  ledger = join(cwd, "ledger");
});

const db = ["--db", "runs.db"];
const call = (...args: string[]): Promise<Finished> => millrace([...args, ...db], { cwd });
const json = (finished: Finished): Record<string, unknown> => JSON.parse(finished.stdout) as Record<string, unknown>;
const show = async (run: string): Promise<Record<string, unknown>> => json(await call("show", run, "--json"));

function run(graph: string, id: string, input: object = {}): Promise<Finished> {
  return call("run", `${asks}#${graph}`, "--input", JSON.stringify({ ledger, ...input }), "--id", id);
}

/** How many notes were taken up. */
function notes(): unknown {
  const hand = new DatabaseSync(join(cwd, "runs.db"));
  try {
    return hand.prepare("SELECT count(*) AS n FROM millrace_notes WHERE handled = 1").get()?.["n"];
  } finally {
    hand.close();
  }
}

/** A second process that works on one thing and has asked another. */
async function busy(id = "busy"): Promise<Running> {
  const args = ["run", `${asks}#busy`, "--input", JSON.stringify({ ledger }), "--id", id, ...db];
  const running = start(args, { cwd });
  await until(() => linesOf(ledger).length > 0, running);
  await expect.poll(() => show(id), { timeout: 60_000 }).toMatchObject({ interrupts: [{ node: "approve" }] });
  return running;
}

describe("inbox", () => {
  test("F34 lists the questions of all runs, oldest first, without their modules, bounded, as text and as JSON", async () => {
    const empty = await run("approval", "one", { to: "you" });
    expect(empty.code).toBe(4);
    await run("poll", "many", { names: ["a", "b"] });
    const { code, stdout, stderr } = await call("inbox");
    expect([code, hasStack(stderr)]).toEqual([0, false]);
    expect(stdout).toMatch(
      /^one {2}approval\n {2}approve {2}Send it\?\n {4}id {7}[0-9a-f]{32}\n {4}asks {5}\{"text":"plan you"\}\n {4}at {7}approval\/approve\n {4}asked {4}\d{4}-\S+Z, \S+ ago\n {4}due {6}\S+Z, in /,
    );
    expect(stdout.match(/^many {2}poll$/gm)?.length).toBe(2);
    expect(stdout.indexOf("one")).toBeLessThan(stdout.indexOf("many"));
    expect(stderr).toContain("3 open questions; answer with");

    const all = json(await call("inbox", "--json"));
    expect(all).toMatchObject({
      more: false,
      questions: [
        {
          run: "one",
          graph: "approval",
          status: "interrupted",
          node: "approve",
          path: "approval/approve",
          payload: { text: "plan you" },
          title: "Send it?",
          askedAt: expect.stringMatching(/^\d{4}-\S+Z$/) as string,
          due: expect.stringMatching(/^\d{4}-\S+Z$/) as string,
        },
        { run: "many", node: "ask", payload: { name: "a" }, due: null },
        { run: "many", node: "ask", payload: { name: "b" } },
      ],
    });
    const bounded = await call("inbox", "--limit", "1", "--json");
    expect(json(bounded)).toMatchObject({ more: true, questions: [{ run: "one" }] });
    expect((json(await call("inbox", "--graph", "poll", "--json"))["questions"] as unknown[]).length).toBe(2);
    const none = await call("inbox", "--graph", "nothing");
    expect([none.code, none.stdout, none.stderr]).toEqual([0, "", "nobody is asked anything in runs.db by nothing\n"]);
    expect((await millrace(["inbox", "--db", "no.db"], { cwd })).code).toBe(3);
  });

  test("a run that is damaged is left out by name, and the others are listed", async () => {
    await run("approval", "one", { to: "you" });
    await run("poll", "many", { names: ["a"] });
    const hand = new DatabaseSync(join(cwd, "runs.db"));
    hand.exec("UPDATE millrace_journal SET chain = 1 WHERE run = 1");
    hand.close();
    const { code, stdout, stderr } = await call("inbox");
    expect([code, stdout.startsWith("many  poll")]).toEqual([0, true]);
    expect(stderr).toContain("warning: run one is left out: the journal of run one is damaged");
  });
});

describe("answer without the graph", () => {
  test("is left in the inbox, says so, and whoever has the graph goes on with it", async () => {
    await run("approval", "one", { to: "you" });
    const left = await call("answer", "one", "approve", '{"approved":true}', "--by", "ada");
    expect([left.code, left.stdout]).toEqual([0, ""]);
    expect(left.stderr).toMatch(
      /^the answer to approve of run one is left in its inbox: an engine that has the graph approval goes on/,
    );
    expect(await show("one")).toMatchObject({ status: "queued" });
    expect(json(await call("inbox", "--json"))["questions"]).toEqual([]);

    const second = await call("answer", "one", "approve", '{"approved":false}', "--json");
    expect(second.code).toBe(5);
    expect(second.stderr).toMatch(/was answered by ada at \d{4}-\S+Z/);
    expect(json(second)).toMatchObject({ error: { code: "InterruptAnswered", exitCode: 5 } });

    const resumed = await call("resume", "one", "--graph", `${asks}#approval`);
    expect(json(resumed)).toEqual({ sent: "send you" });
    expect(linesOf(ledger)).toEqual(["plan you", "send you"]);
    const late = await call("answer", "one", "approve", "1");
    expect([late.code, late.stderr.includes("has ended: it is completed")]).toEqual([5, true]);
  });

  test("with --wait, of a run that another process drives, prints what the run comes to", async () => {
    const running = await busy();
    const answered = millrace(["answer", "busy", "approve", "-", "--wait", ...db], { cwd, stdin: '{"approved":true}' });
    await expect.poll(() => show("busy"), { timeout: 60_000 }).toMatchObject({ interrupts: [] });
    const again = await call("answer", "busy", "approve", '{"approved":false}');
    expect(again.code).toBe(5);
    expect(again.stderr).toMatch(/approve of run busy was answered before, by .* at \d{4}-\S+Z/);
    writeFileSync(`${ledger}.go`, "");
    const { code, stdout, stderr } = await answered;
    expect([code, JSON.parse(stdout)]).toEqual([0, { ok: true, slow: true }]);
    expect(stderr).toContain("the engine that drives the run takes it up");
    expect((await running.finished).code).toBe(0);
  });

  test("with the graph, of a run that another process drives, it is left for that process", async () => {
    const running = await busy();
    const answered = await call("answer", "busy", "--value", '{"approved":true}', "--graph", `${asks}#busy`);
    expect([answered.code, answered.stdout]).toEqual([0, ""]);
    await expect.poll(() => show("busy"), { timeout: 60_000 }).toMatchObject({ interrupts: [] });
    writeFileSync(`${ledger}.go`, "");
    expect(JSON.parse((await running.finished).stdout)).toEqual({ ok: true, slow: true });
  });

  test("an unknown run exits 3, no answer and two answers exit 2, a question that is not open exits 3", async () => {
    await run("approval", "one", { to: "you" });
    expect((await call("answer", "oen", "approve", "1")).code).toBe(3);
    const none = await call("answer", "one", "approve");
    expect([none.code, none.stderr.includes("no answer was given")]).toEqual([2, true]);
    expect((await call("answer", "one", "approve", "1", "--value", "2")).code).toBe(2);
    const unknown = await call("answer", "one", "aprove", "1");
    expect([unknown.code, unknown.stderr.includes("did you mean approve?")]).toEqual([3, true]);
    const malformed = await call("answer", "one", "approve", "{no");
    expect([malformed.code, hasStack(malformed.stderr)]).toEqual([2, false]);
  });

  test("--timeout gives up waiting with 124, and the answer stands", async () => {
    await run("approval", "one", { to: "you" });
    const waited = await call("answer", "one", "approve", '{"approved":true}', "--wait", "--timeout", "300ms");
    expect(waited.code).toBe(124);
    expect(waited.stderr).toContain("waited 300ms for what run one comes to; it is queued");
    expect(json(await call("resume", "one", "--graph", `${asks}#approval`))).toEqual({ sent: "send you" });
  });
});

describe("cancel", () => {
  test("of a run that another process drives: that one ends it, and says why", async () => {
    const running = await busy();
    const { code, stderr, stdout } = await call("cancel", "busy", "--reason", "wrong folder", "--wait", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { id: "busy", status: "cancelled" }]);
    expect(stderr).toContain("the engine that drives it ends it");
    const ended = await running.finished;
    expect([ended.code, ended.stderr.includes("run busy cancelled (wrong folder)")]).toEqual([1, true]);
    const again = await call("cancel", "busy");
    expect([again.code, again.stderr.includes("run busy has ended: it is cancelled")]).toEqual([5, true]);
  });

  test("of a run that nobody drives: whoever takes it up ends it, or --graph does at once", async () => {
    for (const id of ["left", "here"]) await run("approval", id, { to: "you" });
    const left = await call("cancel", "left");
    expect([left.code, left.stdout]).toEqual([0, ""]);
    expect(left.stderr).toContain("nobody drives it: an engine that has the graph approval ends it");
    expect((await call("cancel", "left", "--by", "bob")).stderr).toContain("is to be cancelled already: by ");
    const resumed = await call("resume", "left", "--graph", `${asks}#approval`);
    expect([resumed.code, resumed.stdout]).toEqual([1, ""]);
    expect(await show("left")).toMatchObject({ status: "cancelled", reason: "cancelled from the command line" });

    const here = await call("cancel", "here", "--graph", `${asks}#approval`, "--reason", "no");
    expect([here.code, here.stderr.includes("run here cancelled")]).toEqual([0, true]);
    expect(await show("here")).toMatchObject({ status: "cancelled", reason: "no" });
    expect((await call("cancel", "here", "--graph", `${asks}#approval`)).code).toBe(5);
    expect(linesOf(ledger)).toEqual(["plan you", "plan you"]);
  });

  test("an unknown run exits 3", async () => {
    await run("approval", "one", { to: "you" });
    const unknown = await call("cancel", "oen");
    expect([unknown.code, unknown.stderr.includes("did you mean one?")]).toEqual([3, true]);
    expect((await call("cancel", "oen", "--graph", `${asks}#approval`)).code).toBe(3);
  });
});

describe("drain", () => {
  test("of a run that another process drives holds it; a run that is held already is left as it is", async () => {
    const running = await busy();
    const drained = call("drain", "busy", "--wait");
    await expect.poll(notes, { timeout: 60_000 }).toBe(1);
    writeFileSync(`${ledger}.go`, "");
    const { code, stderr } = await drained;
    expect([code, stderr.includes("run busy drained")]).toEqual([0, true]);
    expect((await running.finished).code).toBe(6);
    const held = await call("drain", "busy", "--json");
    expect([held.code, json(held), held.stderr.includes("held already")]).toEqual([
      0,
      { id: "busy", status: "drained" },
      true,
    ]);
  });

  test("twice: what was resumed may be drained again", async () => {
    const args = (first: string[]): string[] => [...first, ...db];
    let running = start(args(["run", `${asks}#steps`, "--input", JSON.stringify({ ledger }), "--id", "steps"]), {
      cwd,
    });
    for (const step of [1, 2]) {
      await until(() => linesOf(ledger).length >= step, running);
      const drained = call("drain", "steps", "--wait");
      await expect.poll(notes, { timeout: 60_000 }).toBe(step);
      writeFileSync(`${ledger}.${step}`, "");
      expect((await drained).code).toBe(0);
      expect((await running.finished).code).toBe(6);
      running = start(args(["resume", "steps", "--graph", `${asks}#steps`]), { cwd });
    }
    await until(() => linesOf(ledger).length >= 3, running);
    writeFileSync(`${ledger}.3`, "");
    expect(JSON.parse((await running.finished).stdout)).toEqual({ done: 3 });
  });

  test("of one that nobody drives is taken up by the next engine; of one that ended exits 5; unknown exits 3", async () => {
    await run("approval", "one", { to: "you" });
    const left = await call("drain", "one");
    expect([left.code, left.stderr.includes("nobody drives run one, which is interrupted")]).toEqual([0, true]);
    const resumed = await call("resume", "one", "--graph", `${asks}#approval`);
    expect(resumed.code).toBe(6);
    expect((await call("answer", "one", "approve", '{"approved":true}', "--graph", `${asks}#approval`)).code).toBe(0);
    expect((await call("drain", "one")).code).toBe(5);
    expect((await call("drain", "two")).code).toBe(3);
  });
});

test("H11 a quarantined run goes on when resume names it", async () => {
  const running = await busy();
  running.child.kill("SIGKILL");
  await running.finished;
  const { sqlite } = await import("@millrace/core/node");
  const backend = sqlite(join(cwd, "runs.db"));
  await backend.open("worker");
  const [row] = await backend.claim({ statuses: ["running"], limit: 1, at: Date.now(), maxAttempts: 0 });
  await backend.close();
  expect(row?.status).toBe("quarantined");
  expect((await call("drain", "busy")).stderr).toContain("held already: it is quarantined");
  writeFileSync(`${ledger}.go`, "");
  const resumed = await call("resume", "busy", "--graph", `${asks}#busy`);
  expect(resumed.code).toBe(4);
  const answered = await call("answer", "busy", "--value", '{"approved":true}', "--graph", `${asks}#busy`);
  expect(JSON.parse(answered.stdout)).toEqual({ ok: true, slow: true });
});
