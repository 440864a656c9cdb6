/** Commands that look after a database: the real program over real files. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, test } from "vitest";
import { graph, op, openEngine, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";
import { type Finished, fixture, flows, hasStack, linesOf, millrace, start, temporaryFolder, until } from "./cli.ts";

const asks = fixture("asks.ts");
const folder = temporaryFolder();
const ledger = join(folder, "ledger");
const call = (...args: string[]): Promise<Finished> => millrace(args, { cwd: folder });
const json = (finished: Finished): Record<string, unknown> => JSON.parse(finished.stdout) as Record<string, unknown>;

/** Two runs that ended and one that waits; every test works on a copy of its own. */
beforeAll(async () => {
  await call(
    "run",
    `${flows}#greet`,
    "--input",
    '{"name":"a"}',
    "--id",
    "greeted",
    "--label",
    "user=ann",
    "--db",
    "all.db",
  );
  await call("run", `${flows}#fails`, "--input", '{"why":"dry"}', "--id", "failed", "--db", "all.db");
  await call(
    "run",
    `${asks}#approval`,
    "--input",
    JSON.stringify({ to: "you", ledger }),
    "--id",
    "asking",
    "--db",
    "all.db",
  );
});

function copy(name: string): string {
  copyFileSync(join(folder, "all.db"), join(folder, name));
  return name;
}

function hand(file: string, sql: string): void {
  const database = new DatabaseSync(join(folder, file));
  database.exec(sql);
  database.close();
}

async function ids(file: string): Promise<string[]> {
  const { runs } = json(await call("runs", "--db", file, "--json")) as { runs: { id: string }[] };
  return runs.map(({ id }) => id).toSorted();
}

describe("db", () => {
  test("H28 restored holds open runs for a review, and resume or cancel by name ends that", async () => {
    const db = copy("restored.db");
    const { code, stdout, stderr } = await call("db", "restored", "--db", db);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      `${db}: 1 open run, 0 of them taken from an engine\nall of them need a review now: \`resume\` goes on with one, \`cancel\` ends it\n`,
    );
    expect((await call("runs", "--status", "needs_review", "--db", db)).stdout).toContain("asking");
    expect((await call("doctor", "--db", db)).stdout).toMatch(/1 .*needs_review|review/);
    const resumed = await call("resume", "asking", "--graph", `${asks}#approval`, "--db", db);
    expect(resumed.code).toBe(4);
    expect(json(await call("db", "restored", "--json", "--db", db))).toEqual({
      runs: 1,
      owned: 0,
      held: 1,
      engines: 0,
    });
    const cancelled = await call("cancel", "asking", "--graph", `${asks}#approval`, "--db", db);
    expect([cancelled.code, cancelled.stderr]).toEqual([0, expect.any(String)]);
    expect(json(await call("db", "restored", "--json", "--db", db))).toMatchObject({ runs: 0, held: 0 });
  });

  test("H28 restored --resume leaves runs as they stood", async () => {
    const db = copy("restored-resume.db");
    expect((await call("db", "restored", "--resume", "--db", db)).stdout).toBe(
      `${db}: 1 open run, 0 of them taken from an engine\nthe next engine goes on with them\n`,
    );
    expect((await call("runs", "--status", "interrupted", "--db", db)).stdout).toContain("asking");
    expect((await call("db", "restored", "--db", "nowhere.db")).code).toBe(3);
  });

  test("stats counts, as text and as JSON", async () => {
    const file = copy("stats.db");
    const [text, document] = await Promise.all([
      call("db", "stats", "--db", file),
      call("db", "stats", "--db", file, "--json"),
    ]);
    expect(text.stdout).toMatch(/^runs {5}3: (?:1 \w+(?:, )?){3}$/m);
    expect(text.stdout).toMatch(/^notes {4}0 not taken up yet$/m);
    expect(json(document)).toMatchObject({
      runs: { completed: 1, failed: 1, interrupted: 1 },
      notes: 0,
      schemaVersion: 6,
    });
  });

  test("H27 prune counts, asks, and deletes what ended long ago and nothing else; vacuum gives the room back", async () => {
    const file = copy("prune.db");
    hand(file, "UPDATE millrace_runs SET ended_at = ended_at - 40 * 86400000 WHERE id = 'greeted'");
    const prune = (...args: string[]): Promise<Finished> => call("db", "prune", "--db", file, ...args);
    const dry = await prune("--older-than", "30d", "--dry-run");
    expect(dry.stdout).toMatch(/^1 run that ended before \d{4}-\S+Z would be deleted\n$/);
    const unasked = await prune("--older-than", "30d");
    expect([unasked.code, unasked.stdout, unasked.stderr.includes("--yes")]).toEqual([2, "", true]);
    expect(await ids(file)).toEqual(["asking", "failed", "greeted"]);
    const others = await prune("--older-than", "30d", "--status", "failed", "--yes", "--json");
    expect(json(others)).toEqual({ dryRun: false, runs: 0, blobs: 0, entries: 0 });
    const done = await prune("--older-than", "30d", "--yes");
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^deleted 1 run that ended before /)]);
    expect(await ids(file)).toEqual(["asking", "failed"]);
    expect(json(await prune("--older-than", "0s", "--graph", "fails", "--yes", "--json"))).toMatchObject({ runs: 1 });
    expect(await ids(file)).toEqual(["asking"]);
    for (const wrong of [["--older-than", "never"], ["--older-than", "1d", "--status", "interrupted"], []])
      expect((await prune(...wrong)).code).toBe(2);
    const vacuumed = await call("db", "vacuum", "--db", file, "--json");
    expect(json(vacuumed)).toMatchObject({ after: statSync(join(folder, file)).size });
  });

  test("H24 compact removes what is below the last snapshot, of all runs or of named ones, and says how much", async () => {
    const file = copy("compact.db");
    const all = await call("db", "compact", "--db", file);
    expect([all.code, all.stdout]).toEqual([0, "removed 0 records of 0 runs\n"]);
    expect(json(await call("db", "compact", "--db", file, "--json"))).toEqual({ runs: [], records: 0 });
    const short = await call("db", "compact", "asking", "--db", file);
    expect([short.code, short.stderr.includes("has no snapshot"), hasStack(short.stderr)]).toEqual([5, true, false]);
    expect((await call("db", "compact", "nobodys", "--db", file)).code).toBe(3);
    const database = join(folder, file);
    const engine = await openEngine({ backend: sqlite(database), snapshots: { after: 1, share: Infinity } });
    const step = op("step", { async: true }, async ({ n }: { n: number }) => ({ n }));
    const chain = graph("chain", (input: Ref<{ n: number }>) => {
      let at = input.n;
      for (let i = 0; i < 5; i++) at = step({ n: at }, { name: `step${i}` }).n;
      return { n: at };
    });
    await engine.run(chain, { n: 1 }, { id: "chained" });
    await engine.close();
    expect(json(await call("db", "compact", "--db", file, "--json"))).toMatchObject({
      runs: [{ runId: "chained", floor: expect.any(Number) as number }],
      records: expect.any(Number) as number,
    });
    const shown = await call("history", "chained", "--db", file);
    expect([shown.code, shown.stderr.includes("compacted")]).toEqual([5, true]);
    expect((await call("show", "chained", "--db", file)).code).toBe(0);
  });

  test("H29 migrate brings an older file to this schema, once; a newer one is refused", async () => {
    const file = copy("old.db");
    expect((await call("db", "migrate", "--db", file)).stdout).toBe(`${file} has schema 6 already\n`);
    writeFileSync(join(folder, "empty.db"), "");
    expect(json(await call("db", "migrate", "--db", "empty.db", "--json"))).toEqual({ from: 0, to: 6 });
    hand(file, "INSERT INTO millrace_schema VALUES (99, 0)");
    const newer = await call("db", "migrate", "--db", file);
    expect([newer.code, hasStack(newer.stderr)]).toEqual([5, false]);
  });

  test("H20 I7 I12 fsck finds damaged journals and runs that nobody wakes, and repairs only what cannot be harmed", async () => {
    const file = copy("fsck.db");
    const fsck = (...args: string[]): Promise<Finished> => call("db", "fsck", "--db", file, ...args);
    const well = await fsck();
    expect([well.code, well.stdout, well.stderr]).toEqual([0, "", "3 runs checked: nothing is wrong\n"]);

    hand(
      file,
      "UPDATE millrace_journal SET chain = chain + 1 WHERE run = (SELECT n FROM millrace_runs WHERE id = 'greeted')",
    );
    hand(file, "UPDATE millrace_runs SET status = 'completed' WHERE id = 'failed'");
    hand(file, "UPDATE millrace_runs SET status = 'running', owner = 'dead' WHERE id = 'asking'");
    hand(file, "INSERT INTO millrace_labels VALUES ('a', 'b', 99)");
    const before = readFileSync(join(folder, file));
    const found = await fsck("--json");
    expect(found.code).toBe(1);
    expect(json(found)).toMatchObject({ ok: false, runs: 3, file: ["1 labels belong to no run"] });
    const { problems } = json(found) as { problems: Record<string, unknown>[] };
    expect(problems.toSorted((a, b) => String(a["run"]).localeCompare(String(b["run"])))).toMatchObject([
      { run: "asking", kind: "journal", repairable: false },
      { run: "failed", kind: "journal", detail: expect.stringContaining("status completed") as string },
      { run: "greeted", kind: "journal", detail: expect.stringContaining("checksum") as string, repaired: false },
    ]);
    expect(readFileSync(join(folder, file)).equals(before)).toBe(true);
    const text = await fsck("--repair");
    expect([text.code, text.stdout.includes("backup")]).toEqual([1, true]);
    expect(text.stderr).toContain("3 runs checked: 4 problems\n");
  });

  test("I7 fsck --repair queues a run whose engine died, which then goes on; without it nothing changes", async () => {
    const running = start(
      [
        "run",
        `${asks}#steps`,
        "--input",
        JSON.stringify({ ledger: `${ledger}2` }),
        "--id",
        "killed",
        "--db",
        "orphan.db",
      ],
      { cwd: folder },
    );
    await until(() => linesOf(`${ledger}2`).length > 0, running);
    expect((await call("db", "fsck", "--db", "orphan.db")).code).toBe(0);
    running.child.kill("SIGKILL");
    await running.finished;
    for (const n of [1, 2, 3]) writeFileSync(`${ledger}2.${n}`, "");
    const found = await call("db", "fsck", "--db", "orphan.db");
    expect([found.code, found.stdout]).toEqual([
      1,
      expect.stringMatching(/^orphaned {2}killed {2}steps\n.*does not live any more\n {2}hint: /),
    ]);
    const repaired = await call("db", "fsck", "--db", "orphan.db", "--repair");
    expect([repaired.code, repaired.stdout.includes("repaired: it is queued again")]).toEqual([0, true]);
    expect((await call("db", "fsck", "--db", "orphan.db")).code).toBe(0);
    const resumed = await call("resume", "killed", "--graph", `${asks}#steps`, "--db", "orphan.db");
    expect(json(resumed)).toEqual({ done: 3 });
  });
});

describe("export and import", () => {
  test("runs go to another database and come back byte for byte, and the one that waits goes on there", async () => {
    const exported = await call("export", "--all", "--db", copy("from.db"), "--out", "all.jsonl");
    expect([exported.code, exported.stdout, exported.stderr]).toEqual([0, "", "exported 3 runs to all.jsonl\n"]);
    const imported = await call("import", "all.jsonl", "--db", "to.db");
    expect([imported.code, imported.stderr]).toEqual([0, "imported 3 runs\n"]);
    const again = await call("export", "--all", "--db", "to.db");
    expect(again.stdout).toBe(readFileSync(join(folder, "all.jsonl"), "utf8"));
    expect(json(await call("import", "all.jsonl", "--db", "to.db", "--json"))).toEqual({
      imported: [],
      present: ["greeted", "failed", "asking"],
    });
    expect((await call("db", "fsck", "--db", "to.db")).code).toBe(0);
    const labelled = json(await call("runs", "--db", "to.db", "--label", "user=ann", "--json"));
    expect(labelled).toMatchObject({ runs: [{ id: "greeted" }] });
    const answered = await call(
      "answer",
      "asking",
      "approve",
      '{"approved":true}',
      "--graph",
      `${asks}#approval`,
      "--db",
      "to.db",
    );
    expect(json(answered)).toEqual({ sent: "send you" });
    const further = await call("import", "all.jsonl", "--db", "to.db");
    expect([further.code, further.stderr]).toEqual([0, "imported 0 runs; 3 were there already\n"]);
    await call("run", `${flows}#greet`, "--input", '{"name":"b"}', "--id", "asking", "--db", "other.db");
    const differs = await call("import", "all.jsonl", "--db", "other.db");
    expect([differs.code, differs.stderr.includes("run asking of the archive has")]).toEqual([5, true]);
  });

  test("damaged files are refused by their line, and nothing of them is imported", async () => {
    const { stdout } = await call("export", "greeted", "failed", "--db", copy("source.db"));
    const lines = stdout.split("\n");
    const at = lines.findIndex((line) => line.startsWith('{"row"'));
    writeFileSync(join(folder, "bad.jsonl"), lines.with(at, lines[at]!.replace("greet", "great")).join("\n"));
    writeFileSync(join(folder, "cut.jsonl"), stdout.slice(0, -30));
    const bad = await call("import", "bad.jsonl", "--db", "none.db");
    expect([bad.code, bad.stderr.includes(`line ${at + 1} of the archive is damaged`)]).toEqual([1, true]);
    expect((await call("import", "cut.jsonl", "--db", "none.db")).stderr).toContain(
      `line ${lines.length - 1} of the archive`,
    );
    expect(await ids("none.db")).toEqual([]);
    expect((await call("import", "no.jsonl", "--db", "none.db")).code).toBe(3);
  });

  test("a damaged run is left out of all by name, and refused when it is named; files are not written over", async () => {
    const file = copy("damaged.db");
    hand(file, "UPDATE millrace_journal SET chain = 1 WHERE run = (SELECT n FROM millrace_runs WHERE id = 'greeted')");
    const all = await call("export", "--all", "--db", file, "--out", "rest.jsonl");
    expect([all.code, all.stderr]).toEqual([1, expect.stringContaining("warning: run greeted is left out: ")]);
    expect((await call("import", "rest.jsonl", "--db", "rest.db")).stderr).toBe("imported 2 runs\n");
    const named = await call("export", "greeted", "--db", file, "--out", "one.jsonl");
    expect([named.code, existsSync(join(folder, "one.jsonl")), existsSync(join(folder, "one.jsonl.part"))]).toEqual([
      1,
      false,
      false,
    ]);
    expect((await call("export", "failed", "--db", file, "--out", "rest.jsonl")).code).toBe(5);
    expect((await call("export", "nobody", "--db", file)).code).toBe(3);
    expect((await call("export", "--db", file)).code).toBe(2);
  });
});

test("check tells which waiting runs would not go on with changed code, and why", async () => {
  const file = copy("check.db");
  const fits = await call("check", "--against", file, asks);
  expect([fits.code, fits.stdout, fits.stderr]).toEqual([0, "", "1 run checked: all go on with this code\n"]);
  const other = await call("check", "--against", file, flows);
  expect([other.code, other.stderr]).toEqual([0, expect.stringContaining("1 run is of other graphs: approval")]);
  const changed = fixture("approval-changed.ts");
  const breaks = await call("check", "--against", file, changed);
  expect(breaks.code).toBe(1);
  expect(breaks.stdout).toMatch(
    /^changed {2}asking {2}approval {2}interrupted\n {2}run asking was started on graph "approval"/,
  );
  expect(breaks.stdout).toContain("  gone: plan and send\n  new: mail\n");
  expect(breaks.stdout).toContain("also with --allow-graph-change it would not go on: ");
  const document = await call("check", "--against", file, `${changed}#approval`, "--json");
  expect([document.code, json(document)]).toMatchObject([
    1,
    {
      ok: false,
      runs: [
        {
          run: "asking",
          verdict: "changed",
          code: "FingerprintMismatch",
          gone: ["plan", "send"],
          added: ["mail"],
          allowed: false,
        },
      ],
    },
  ]);
  expect((await call("check", "--against", "no.db", asks)).code).toBe(3);
});

test("R27 check tells which runs go on because of the graph's map, and which do not although there is one; so does the run itself", async () => {
  const file = copy("migrates.db");
  const mapped = fixture("approval-migrates.ts");
  const goesOn = await call("check", "--against", file, `${mapped}#approval`);
  expect([goesOn.code, goesOn.stdout, goesOn.stderr]).toEqual([
    0,
    "",
    "1 run checked: all go on with this code, 1 of them because of migrate\n",
  ]);
  const breaks = await call("check", "--against", file, `${mapped}#forgetful`, "--json");
  expect([breaks.code, json(breaks)]).toMatchObject([
    1,
    { ok: false, runs: [{ run: "asking", verdict: "breaks", code: "JournalMismatch" }] },
  ]);
  expect(breaks.stdout).toContain("plan");
  const refused = await call("resume", "asking", "--db", file, "--graph", `${mapped}#forgetful`);
  expect([refused.code, refused.stderr]).toEqual([expect.any(Number), expect.stringContaining("plan") as string]);
  const answered = await call(
    "answer",
    "asking",
    "approve",
    '{"approved":true}',
    "--db",
    file,
    "--graph",
    `${mapped}#approval`,
  );
  expect([answered.code, answered.stdout, answered.stderr]).toEqual([
    0,
    expect.stringContaining("you true"),
    expect.any(String),
  ]);
});

test("F34 doctor says in a few lines whether all is well, and exits 1 when something needs attention", async () => {
  const file = copy("doctor.db");
  const well = await call("doctor", "--db", file);
  expect(well.stdout).toMatch(/^node {7}ok {2}\d+\.\d+\.\d+, SQLite 3\./);
  expect(well.stdout).toMatch(/^questions {2}ok {2}approve of run asking waits longest, since \d{4}-\S+Z \(/m);
  expect(well.code).toBe(0);
  hand(file, "UPDATE millrace_runs SET status = 'quarantined' WHERE id = 'asking'");
  hand(file, "UPDATE millrace_runs SET status = 'running', owner = 'dead', ended_at = NULL WHERE id = 'greeted'");
  const ill = await call("doctor", "--db", file, "--json");
  expect([ill.code, json(ill)["ok"]]).toEqual([1, false]);
  const { findings } = json(ill) as { findings: { name: string; ok: boolean }[] };
  const wrong = findings.filter(({ ok }) => !ok).map(({ name }) => name);
  expect(wrong).toEqual(["questions", "held", "orphaned"]);
  writeFileSync(join(folder, "text.db"), "this is no database, whatever it is called".repeat(30));
  const none = await call("doctor", "--db", "text.db");
  expect([none.code, hasStack(none.stderr)]).toEqual([1, false]);
  expect(none.stdout).toMatch(/^database {2}!! {2}/m);
  expect((await call("doctor", "--db", "missing.db")).code).toBe(3);
});
