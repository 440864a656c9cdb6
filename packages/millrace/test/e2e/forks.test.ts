/** What runs did, forks of them, and failed ones tried again. The runs are made once; no case changes them. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  bin,
  type Finished,
  fixture,
  hasStack,
  linesOf,
  millrace,
  paste,
  start,
  temporaryFolder,
  until,
} from "./cli.ts";

const flow = (graph: string): string => `${fixture("forks.ts")}#${graph}`;
const asks = (graph: string): string => `${fixture("asks.ts")}#${graph}`;
const survey = ["--graph", flow("survey")];
const cwd = temporaryFolder();
const env = { MILLRACE_DB: "runs.db" };
const call = (...args: string[]): Promise<Finished> => millrace(args, { cwd, env });
const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
const jsonLines = (text: string): Record<string, unknown>[] => text.trimEnd().split("\n").map(json);
const run = (reference: string, id: string, input: object): Promise<Finished> =>
  call("run", reference, "--input", JSON.stringify(input), "--id", id, "--no-trace", "--quiet");

/** What bodies did since it was asked the last time. */
function done(): string[] {
  const lines = linesOf(join(cwd, "ledger"));
  rmSync(join(cwd, "ledger"), { force: true });
  return lines;
}

/** Of calls that print nothing, end with that code and say that: those that do otherwise. */
async function unlike(
  command: string,
  calls: readonly (readonly [args: readonly string[], code: number, says: string])[],
): Promise<unknown[]> {
  const told = await Promise.all(calls.map(async ([args]) => call(command, ...args)));
  return told.flatMap(({ code, stdout, stderr }, i) => {
    const [args, expected, says] = calls[i]!;
    const right = code === expected && stdout === "" && stderr.includes(says) && !hasStack(stderr);
    return right ? [] : [{ args, code, stdout, stderr, expected, says }];
  });
}

/** The services are up until the test is over. */
function mend(): void {
  writeFileSync(join(cwd, "up"), "");
}

beforeAll(async () => {
  await Promise.all([
    run(flow("survey"), "one", { urls: ["a", "b", "c"] }),
    run(asks("approval"), "asking", { to: "you", ledger: join(cwd, "asked") }),
    run(flow("survey"), "failed", { urls: ["a", "down"] }),
    run(flow("tolerant"), "tolerated", { xs: [1, 2, 3] }),
    run(flow("computed"), "computed", { urls: ["a"] }),
  ]);
  done();
});
afterEach(() => {
  rmSync(join(cwd, "up"), { force: true });
  done();
});

describe("history", () => {
  test("P5.1 lists what a run did, with what belongs together, and paths where the graph is given", async () => {
    const { code, stdout, stderr } = await call("history", "one");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^SEQ {3}TIME \(UTC\) {11}WHAT {7}WHERE\n {2}1 {3}\d{4}-\d\d-\d\d \S{8} {2}started {4}survey {2}\{"urls":\["a","b","c"\]\}\n/,
    );
    expect(stdout).toMatch(
      /^ {2}2 {24}output {5}fetchPage \[0\] {2}\{"html":"<a>","size":1,"apiKey":"\[redacted\]"\}$/m,
    );
    expect(stdout).toMatch(/^ +\d+ \+ {22}decided {4}gate {2}choice 0$/m);
    expect(stdout).toMatch(
      /ended {6}completed {2}\{"text":"<a>,<b>,<c>","counted":3,"said":"long <a>,<b>,<c>","size":200000\}$/m,
    );
    expect(stdout).toMatch(/output {5}pad {2}a large value; --json prints it$/m);
    expect(stdout).not.toContain("key-of-the-service");
    const paths = await call("history", "one", ...survey, "--node", "fetchPage");
    expect(paths.stdout.match(/output {5}survey\/input\.urls\[\d\]\/fetchPage/g)).toHaveLength(3);
    expect(paths.stdout.match(/\n/g)).toHaveLength(4);
    const asked = await call("history", "asking", "--last", "2");
    expect(asked.stdout).toMatch(
      /asked {6}approval\/approve {2}until \S+Z {2}\{"text":"plan you"\}\n.* rests {6}interrupted$/m,
    );
  });

  test("a long journal is read page by page, and by programs line by line, with all values", async () => {
    const page = await call("history", "one", "--from", "2", "--limit", "2");
    expect(page.stdout.match(/^ +\d+ /gm)?.map((text) => text.trim())).toEqual(["2", "3"]);
    expect(page.stderr).toMatch(/^there are more of \d+ records; go on with --from 4, or see others with --limit$/m);
    const { code, stdout, stderr } = await call("history", "one", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    const entries = jsonLines(stdout);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, i) => i + 1));
    expect(entries[0]).toMatchObject({
      kind: "started",
      graph: "survey",
      value: { urls: ["a", "b", "c"] },
      at: expect.stringMatching(/^\d{4}-\S+Z$/) as string,
    });
    expect(entries[1]).toEqual({
      seq: 2,
      batch: 2,
      kind: "output",
      node: "fetchPage",
      items: [0],
      value: { html: "<a>", size: 1, apiKey: "[redacted]" },
    });
    const large = entries.find(({ node }) => node === "pad") as { value: { padded: string } };
    expect(large.value.padded).toHaveLength(200_000);
    const failures = jsonLines((await call("history", "failed", "--node", "fetchPage", "--json", ...survey)).stdout);
    expect(failures.find(({ kind }) => kind === "attemptFailed")).toMatchObject({
      path: "survey/input.urls[1]/fetchPage",
      attempt: 1,
      error: { message: "the service is down" },
    });
  });

  test("P5.1 --at shows cells, outputs and questions as they were, folded by the graph", async () => {
    const { code, stdout } = await call("history", "one", "--at", "3", ...survey);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^record {2}3 of \d+\nstatus {2}running\ninput {3}\{"urls"/m);
    expect(stdout).toMatch(
      /^CELLS\n {2}total {2}2\n\nOUTPUTS\n {2}survey\/input\.urls\[0\]\/fetchPage {2}\{"html":"<a>"/m,
    );
    expect(stdout).not.toContain("key-of-the-service");
    const state = json((await call("history", "one", "--at", "3", "--limit", "1", "--json", ...survey)).stdout);
    expect(state).toMatchObject({
      id: "one",
      seq: 3,
      status: "running",
      cells: { total: 2 },
      outputs: { "survey/input.urls[1]/fetchPage": { html: "<b>", size: 1, apiKey: "[redacted]" } },
      more: 1,
    });
    const asking = await call("history", "asking", "--at", "3", "--graph", asks("approval"));
    expect(asking.stdout).toMatch(/^OPEN QUESTIONS\n {2}approve {2}Send it\?$/m);
  });

  test("what is not there exits 3 and names what is; wrong use exits 2; another graph exits 5", async () => {
    const wrong = await unlike("history", [
      [["oen"], 3, "did you mean one?"],
      [["one", "--node", "lits"], 3, "did you mean list? there are fetchPage, list"],
      [["one", "--from", "999"], 3, "has records 1 to"],
      [["one", "--at", "999", ...survey], 3, "has records 1 to"],
      [["one", "--at", "3"], 2, "--at needs --graph"],
      [["one", "--from", "2", "--last", "2"], 2, "cannot be used with option"],
      [["one", "--at", "0", ...survey], 2, "whole number from 1 on"],
      [["one", "--at", "3", "--graph", flow("tolerant")], 5, "run one is of the graph survey, not of tolerant"],
    ]);
    expect(wrong).toEqual([]);
  });

  test("a reader that goes away ends it well", async () => {
    const program = `'${process.execPath}' '${bin}' history one --json`;
    const { stdout, stderr } = await paste(`( ${program}; echo "code $?" >&2 ) | head -c 20`, { cwd, env });
    expect([stdout, stderr]).toEqual(['{"seq":1,"batch":1,"', "code 0\n"]);
  });
});

describe("fork", () => {
  const page = "survey/input.urls[1]/fetchPage";
  const other = `${page}={"html":"<B!>","size":7,"apiKey":""}`;

  test("R15 P5.2 with another output only what follows from it runs again, under a new id, and both histories are right", async () => {
    const before = (await call("history", "one", "--json")).stdout;
    const { code, stdout, stderr } = await call("fork", "one", "--set", other, ...survey, "--id", "set", "--no-trace");
    expect([code, json(stdout)]).toEqual([
      0,
      { text: "<a>,<B!>,<c>", counted: 9, said: "long <a>,<B!>,<c>", size: 200_000 },
    ]);
    expect(done().toSorted()).toEqual(["count 9", "list <a>,<B!>,<c>", "long <a>,<B!>,<c>"]);
    expect(stderr).toMatch(
      /^fork of one behind record \d+, with another output of survey\/input\.urls\[1\]\/fetchPage\n {2}NODE +KEPT {2}AGAIN\n {2}fetchPage +2\n {2}list +1\n/,
    );
    expect(stderr).toMatch(/^begins with survey\/list\nforked as run set\n/m);
    expect((await call("history", "one", "--json")).stdout).toBe(before);
    const [started, ...records] = jsonLines((await call("history", "set", "--json")).stdout);
    expect(started).toMatchObject({ forkedFrom: { runId: "one", patch: { outputs: { [page]: { html: "<B!>" } } } } });
    expect(records.find(({ node, items }) => node === "fetchPage" && String(items) === "1")).toMatchObject({
      value: { html: "<B!>", size: 7 },
    });
    expect((await call("show", "set")).stdout).toMatch(/^fork of {2}one behind record \d+$/m);
    expect(json((await call("show", "set", "--json")).stdout)).toMatchObject({ forkedFrom: { runId: "one" } });
  });

  test("--dry-run tells the same and makes nothing", async () => {
    const runs = (await call("runs", "--json")).stdout;
    const { code, stdout, stderr } = await call("fork", "one", "--set", other, ...survey, "--dry-run");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^fork of one behind record \d+, with another output of .*\n[^]*begins with survey\/list\n$/,
    );
    const document = json((await call("fork", "one", "--set", other, ...survey, "--dry-run", "--json")).stdout);
    expect(document).toMatchObject({
      run: "one",
      kept: { fetchPage: 2 },
      again: { list: 1, count: 1, "gate/then/long": 1, pad: 1 },
      starts: ["survey/list"],
      ends: null,
      set: [page],
    });
    expect((await call("runs", "--json")).stdout).toBe(runs);
    expect(done()).toEqual([]);
  });

  test("before a node, with another value of a cell, and with another input from standard input", async () => {
    const cells = await call(
      "fork",
      "one",
      "--before",
      "list",
      "--set",
      "cell.total=40",
      ...survey,
      "--quiet",
      "--no-trace",
    );
    expect([cells.code, json(cells.stdout)["counted"], cells.stderr]).toEqual([0, 40, ""]);
    expect(done()).not.toContain("fetch a");
    const args = ["fork", "one", "--input", "-", ...survey, "--json", "--no-trace", "--label", "kind=fork"];
    const input = await millrace(args, { cwd, env, stdin: '{"urls":["x"]}' });
    expect(json(input.stdout)).toMatchObject({
      status: "completed",
      labels: { kind: "fork" },
      output: { text: "<x>", said: "short <x>" },
      forkedFrom: { runId: "one" },
    });
    expect(input.stderr).toContain("with another input");
    expect(done().toSorted()).toEqual(["count 1", "fetch x", "list <x>", "short <x>"]);
  });

  test("of a run that asks: the question is asked again, under another id, and is answered there", async () => {
    const args = ["--graph", asks("approval"), "--id", "asking-2", "--no-trace"];
    const forked = await call("fork", "asking", "--set", 'plan={"done":"another plan"}', ...args);
    expect([forked.code, forked.stdout]).toEqual([4, ""]);
    expect(forked.stderr).toContain('asks     {"text":"another plan"}');
    const [was, is] = await Promise.all(
      ["asking", "asking-2"].map(async (id) => json((await call("show", id, "--json")).stdout)),
    );
    const ids = [was, is].map((shown) => (shown!["interrupts"] as { id: string }[])[0]!.id);
    expect(ids[0]).not.toBe(ids[1]);
    expect([was!["status"], is!["status"]]).toEqual(["interrupted", "interrupted"]);
  });

  test("Ctrl-C drains it, and the command that resumes is told", async () => {
    const ledger = join(cwd, "steps");
    for (const n of [1, 2, 3]) writeFileSync(`${ledger}.${n}`, "");
    expect((await run(asks("steps"), "steps", { ledger })).code).toBe(0);
    rmSync(`${ledger}.2`);
    const args = ["fork", "steps", "--before", "second", "--graph", asks("steps"), "--id", "steps-2", "--no-trace"];
    const running = start(args, { cwd, env });
    await until(() => linesOf(ledger).length === 4, running);
    running.child.kill("SIGINT");
    await until(() => running.stderr().includes("draining"), running);
    writeFileSync(`${ledger}.2`, "");
    const { code, stderr } = await running.finished;
    expect(code).toBe(6);
    expect(stderr).toMatch(/Resume with:\n.* resume steps-2 --graph /);
    expect(linesOf(ledger)).toEqual(["step 1", "step 2", "step 3", "step 2"]);
  });

  test("mistakes name what there is, and nothing is made of them", async () => {
    const wrong = await unlike("fork", [
      [["oen", ...survey], 3, "did you mean one?"],
      [["one", ...survey], 5, "would have nothing to do"],
      [["one", "--set", 'lits={"text":""}', ...survey], 3, 'did you mean "list"?'],
      [["one", "--rerun", "fetchPage", ...survey], 3, "it has survey/input.urls[…]/fetchPage"],
      [["one", "--set", "cell.totl=1", ...survey], 3, 'did you mean "total"?'],
      [["one", "--set", "gate=1", ...survey], 3, '"gate" is no op'],
      [["one", "--before", "lits", ...survey], 3, "did you mean list?"],
      [["one", "--at", "999", ...survey], 3, "has records 1 to"],
      [["one", "--at", "3", "--before", "list", ...survey], 2, "cannot be used with option"],
      [["one", "--set", "list", ...survey], 2, "is not name=json"],
      [["one", "--set", "list={no", ...survey], 2, "the value of list from --set list=… is not JSON"],
      [["one", "--set", "list=1", "--set", "list=2", ...survey], 2, "names list twice"],
      [["one", "--set", "list=-", "--input", "-", ...survey], 2, "can be read once only"],
      [["one", "--set", "list=@no.json", ...survey], 3, "cannot read the value of list file no.json"],
      [["one", "--graph", flow("tolerant")], 5, "run one is of the graph survey, not of tolerant"],
      [["one", "--set", other, "--id", "failed", ...survey], 5, "failed"],
    ]);
    expect(wrong).toEqual([]);
    expect(done()).toEqual([]);
  });
});

describe("diff", () => {
  beforeAll(async () => {
    const set = '{"html":"<B!>","size":7,"apiKey":"another-key"}';
    await call("fork", "one", "--set", `survey/input.urls[1]/fetchPage=${set}`, ...survey, "--id", "other", "--quiet");
  });

  test("tells what differs between a fork and its origin, by node and path, cut and without secrets, and exits 1", async () => {
    const { code, stdout, stderr } = await call("diff", "one", "other", ...survey);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(
      /^ {3}RUN {4}GRAPH {3}STATUS {5}RECORDS\na {2}one {4}survey {2}completed +\d+\nb {2}other {2}survey {2}completed +\d+ +fork of one behind record \d+\n/,
    );
    expect(stdout).toMatch(/^5 the same, 6 different$/m);
    expect(stdout).toContain(
      'result of survey/input.urls[1]/fetchPage\n  .html  "<b>" → "<B!>"\n  .size  1 → 7\n\nresult of survey/list\n  .text  "<a>,<b>,<c>" → "<a>,<B!>,<c>"\n',
    );
    expect(stdout).toMatch(/^result of survey\/pad\n {2}\.padded {2}<a>,<b>,<c>\.+… → <a>,<B!>,<c>\.+…$/m);
    expect(stdout).toMatch(/^how they ended\n {2}\.value\.text /m);
    expect(stdout.length).toBeLessThan(2_000);
    expect(stdout).not.toMatch(/another-key|key-of-the-service/);
    const document = json((await call("diff", "one", "other", "--json", "--limit", "1")).stdout);
    expect(document).toEqual({
      same: false,
      common: 5,
      different: 6,
      a: expect.objectContaining({ id: "one", status: "completed" }) as unknown,
      b: expect.objectContaining({
        id: "other",
        forkedFrom: { runId: "one", seq: expect.any(Number) as number },
      }) as unknown,
      differences: [
        {
          what: "result",
          node: "fetchPage",
          items: [1],
          changes: [
            { path: ".html", a: "<b>", b: "<B!>" },
            { path: ".size", a: 1, b: 7 },
          ],
          more: false,
        },
      ],
    });
  });

  test("runs that came to the same exit 0; failures, and what only one did, are told", async () => {
    const same = await call("diff", "one", "other", "--node", "gate/else");
    expect(same.code).toBe(3);
    const equal = await call("diff", "one", "one", "--timings");
    expect([equal.code, equal.stderr]).toEqual([0, ""]);
    expect(equal.stdout).toMatch(
      /^11 the same, 0 different\n\nTIMINGS +A +B\n {2}the run +\S+ +\S+\n {2}of nodes nothing is known/m,
    );
    const failed = await call("diff", "one", "failed", "--limit", "4");
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(
      /^result of fetchPage \[1\]\n {2}\.value {2}- \{"html":"<b>".*\n {2}\.error {2}\+ \{"code":"Failed","type":"Error","message":"the service is down"\}$/m,
    );
    expect(failed.stdout).toMatch(/^result of fetchPage \[2\] {2}only in one {2}\{"html":"<c>"/m);
    expect(failed.stderr).toMatch(/^\d+ more differences; see others with --limit or --node$/m);
  });

  test("of traced runs --timings has how long their nodes took", async () => {
    const traced = ["traced-1", "traced-2"];
    writeFileSync(join(cwd, "package.json"), "{}");
    for (const id of traced) await call("run", flow("tolerant"), "--input", '{"xs":[1]}', "--id", id, "--quiet");
    const { code, stdout } = await call("diff", ...traced, "--timings");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}odd +\d+ms +\d+ms$/m);
    const { timings } = json((await call("diff", ...traced, "--timings", "--json")).stdout);
    expect(timings).toEqual({
      runMs: { a: expect.any(Number) as number, b: expect.any(Number) as number },
      nodesMs: { odd: { a: expect.any(Number) as number, b: expect.any(Number) as number } },
    });
  });

  test("what is not there exits 3, and not 1 as if it differed", async () => {
    const wrong = await unlike("diff", [
      [["one", "oen"], 3, "did you mean one?"],
      [["oen", "one"], 3, "did you mean one?"],
      [["one"], 2, "missing required argument"],
      [["one", "other", "--node", "lits"], 3, 'neither one nor other has a record of "lits"'],
    ]);
    expect(wrong).toEqual([]);
  });
});

describe("retry", () => {
  test("R15 of a failed run what failed is done again, and what finished is not; the failed one stays", async () => {
    const dry = await call("retry", "failed", ...survey, "--dry-run");
    expect(dry.stdout).toMatch(
      /^fork of failed behind record \d+, with survey\/input\.urls\[1\]\/fetchPage done again\n/,
    );
    const still = await call("retry", "failed", ...survey, "--no-trace", "--json");
    expect([still.code, done()]).toEqual([1, ["fetch down"]]);
    mend();
    const { code, stdout, stderr } = await call("retry", "failed", ...survey, "--id", "again", "--no-trace");
    expect([code, json(stdout)["text"]]).toEqual([0, "<a>,<down>"]);
    expect(stderr).toContain("forked as run again");
    expect(done()).not.toContain("fetch a");
    // A fork that failed is tried again like any other.
    const { id } = json(still.stdout) as { id: string };
    expect((await call("retry", id, ...survey, "--no-trace", "--quiet")).code).toBe(0);
    expect(json((await call("show", "failed", "--json")).stdout)["status"]).toBe("failed");
  });

  test("what the graph handles is left, unless it is asked for; what was computed needs another graph or value", async () => {
    const on = (graph: string): string[] => ["--graph", flow(graph), "--no-trace", "--quiet"];
    const handled = await call("retry", "tolerated", ...on("tolerant"));
    expect([handled.code, handled.stderr]).toEqual([5, expect.stringContaining("what failed was handled")]);
    const same = await call("retry", "computed", ...on("computed"));
    expect([same.code, same.stderr]).toEqual([
      5,
      expect.stringMatching(
        /nothing that ran in run computed failed: fetchPage ended in EdgeFailed \(.*cannot be shown/,
      ),
    ]);
    mend();
    const odd = await call("retry", "tolerated", "--handled", ...on("tolerant"));
    expect([odd.code, json(odd.stdout), done()]).toEqual([0, { odd: [1, 2, 3] }, ["odd 2"]]);
    const mended = await call("retry", "computed", ...on("computed"));
    expect([mended.code, json(mended.stdout), done()]).toEqual([0, { text: "<a>" }, ["list <a>"]]);
  });

  test("what has not failed, or not ended, is refused, and what then helps is told", async () => {
    const wrong = await unlike("retry", [
      [["one", ...survey], 5, "run one completed, and nothing failed"],
      [["asking", "--graph", asks("approval")], 5, "it waits for an answer"],
      [["oen", ...survey], 3, "did you mean one?"],
      [["failed", "--graph", flow("tolerant")], 5, "run failed is of the graph survey"],
      [["failed"], 2, "--graph"],
    ]);
    expect(wrong).toEqual([]);
  });

  test("H11 a quarantined run has not ended: it goes on itself", async () => {
    const ledger = join(cwd, "held");
    const args = ["run", asks("steps"), "--input", JSON.stringify({ ledger }), "--id", "held", "--no-trace"];
    const running = start(args, { cwd, env });
    await until(() => linesOf(ledger).length > 0, running);
    running.child.kill("SIGKILL");
    await running.finished;
    const { sqlite } = await import("@millrace/core/node");
    const backend = sqlite(join(cwd, "runs.db"));
    await backend.open("worker");
    const claim = { statuses: ["running"], runId: undefined, limit: 1, at: Date.now(), maxAttempts: 0 } as const;
    expect((await backend.claim(claim)).map(({ id, status }) => [id, status])).toEqual([["held", "quarantined"]]);
    await backend.close();
    const graph = ["--graph", asks("steps"), "--no-trace"];
    const dry = await call("retry", "held", ...graph, "--dry-run");
    expect([dry.code, dry.stdout]).toEqual([0, "run held is quarantined, and has not ended: it goes on itself\n"]);
    for (const n of [1, 2, 3]) writeFileSync(`${ledger}.${n}`, "");
    const { code, stdout, stderr } = await call("retry", "held", ...graph);
    expect([code, json(stdout)]).toEqual([0, { done: 3 }]);
    expect(stderr).toContain("run held completed");
  });
});
