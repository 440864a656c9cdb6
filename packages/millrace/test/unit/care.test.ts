import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { MillraceError, type OpenQuestion, type RunVerdict } from "@millrace/core";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { durationOption, ended, limitOption, statusOption } from "../../src/cli/commands/filter-options.ts";
import { unreachable } from "../../src/cli/doctor/examine.ts";
import { bytes } from "../../src/cli/format/bytes.ts";
import { factLines } from "../../src/cli/format/facts.ts";
import { unpainted } from "../../src/cli/format/style.ts";
import { readLines } from "../../src/cli/input/read-lines.ts";
import { inboxDocument, inboxReport } from "../../src/cli/runs/inbox-report.ts";
import { pickQuestion } from "../../src/cli/runs/pick-question.ts";
import { verdictDocument, verdictLines } from "../../src/cli/runs/verdict-report.ts";
import { temporaryFolder } from "../e2e/cli.ts";

test("bytes are told in the unit that reads best", () => {
  const values = [0, 999, 1_000, 1_249, 9_950, 123_456, 999_499, 999_600, 5e9, 7.7e12, 2e15];
  expect(values.map(bytes).join(", ")).toBe(
    "0 B, 999 B, 1.0 kB, 1.2 kB, 10 kB, 123 kB, 999 kB, 1.0 MB, 5.0 GB, 7.7 TB, 2000 TB",
  );
});

test("facts stand one below the other", () => {
  const facts = [
    ["a", "one"],
    ["long", "two"],
  ] as const;
  expect(factLines(facts, unpainted)).toEqual(["a     one", "long  two"]);
});

describe("options that choose among runs", () => {
  const parsed = (args: string[]): Record<string, unknown> =>
    new Command()
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .addOption(durationOption("--older-than <duration>", ""))
      .addOption(statusOption(ended))
      .addOption(limitOption(7))
      .parse(args, { from: "user" })
      .opts();

  test("durations are milliseconds, statuses are known, limits are whole", () => {
    const durations = ["250ms", "30s", "5m", "12h", "30d", "1.5h", "0s"];
    expect(durations.map((text) => parsed(["--older-than", text])["olderThan"])).toEqual([
      250, 30_000, 300_000, 43_200_000, 2_592_000_000, 5_400_000, 0,
    ]);
    expect(parsed(["--status", "failed, completed", "--limit", "3"])).toEqual({
      status: ["failed", "completed"],
      limit: 3,
    });
    expect(parsed([])).toEqual({ limit: 7 });
  });

  test.each([
    ["--older-than", "30"],
    ["--older-than", "-1d"],
    ["--older-than", "1w"],
    ["--older-than", "1e999d"],
    ["--status", "running"],
    ["--limit", "0"],
    ["--limit", "1.5"],
  ])("%s %s is refused", (...args) => {
    expect(() => parsed(args)).toThrow(/error: option/);
  });
});

const question: OpenQuestion = {
  id: "0b6f",
  runId: "run\u001B[2J",
  graph: "approval",
  status: "interrupted",
  node: "approve",
  path: "approval/approve",
  payload: { text: "send?" },
  title: "Send it?",
  askedAt: Date.UTC(2025, 2, 1),
  due: Date.UTC(2025, 2, 3),
};

test("F34 the inbox says whose question it is, when it was asked and until when, in UTC", () => {
  expect(inboxReport([question, { ...question, runId: "b" }], Date.UTC(2025, 2, 2), unpainted)).toEqual([
    "run  approval",
    "  approve  Send it?",
    "    id       0b6f",
    '    asks     {"text":"send?"}',
    "    at       approval/approve",
    "    asked    2025-03-01T00:00:00.000Z, 1d 00h ago",
    "    due      2025-03-03T00:00:00.000Z, in 1d 00h",
    "",
    "b  approval",
    ...Array.from({ length: 6 }, () => expect.any(String) as string),
  ]);
  expect(inboxDocument(question)).toEqual({
    run: "run\u001B[2J",
    graph: "approval",
    status: "interrupted",
    id: "0b6f",
    node: "approve",
    path: "approval/approve",
    payload: { text: "send?" },
    due: "2025-03-03T00:00:00.000Z",
    askedAt: "2025-03-01T00:00:00.000Z",
    title: "Send it?",
  });
});

test("an answer finds its question, or learns that it was answered, by whom", () => {
  const run = { id: "r", status: "interrupted", endedAt: null, interrupts: [question] };
  const answered = [
    { id: "1", node: "first", path: "g/first", by: "ann", at: Date.UTC(2025, 2, 1) },
    { id: "2", node: "second", path: "g/second", by: "timeout" },
    { id: "3", node: "third", path: "g/third", by: "" },
  ];
  const info = { ...run, answered } as never;
  expect(pickQuestion(info, undefined)).toBe(question);
  expect(pickQuestion(info, "0b6f", new Map([["approve", "Really?"]])).title).toBe("Really?");
  for (const [name, by] of [
    ["g/first", "ann at 2025-03-01T00:00:00.000Z"],
    ["2", "its time-out"],
    ["third", "somebody"],
  ] as const)
    expect(() => pickQuestion(info, name)).toThrow(new RegExp(`of run r was answered before, by ${by}$`));
  expect(() => pickQuestion(info, "fourth")).toThrow('run r has no open question "fourth"');
});

test("a verdict says what is gone, what is new, and whether allowing the change would help", () => {
  const changed: RunVerdict = {
    runId: "r",
    graph: "g",
    status: "running",
    verdict: "changed",
    code: "FingerprintMismatch",
    detail: "run r was started with another",
    gone: ["a", "b"],
    added: ["c"],
  };
  expect(verdictLines(changed, unpainted)).toEqual([
    "changed  r  g  running",
    "  run r was started with another",
    "  gone: a and b",
    "  new: c",
    "  hint: with --allow-graph-change it would go on, if what has finished still means the same",
  ]);
  const same = verdictLines({ ...changed, gone: [], added: [], refusal: "it decides otherwise" }, unpainted);
  expect(same.slice(2)).toEqual([
    "  its nodes are the same: edges, blocks, versions or settings differ",
    "  also with --allow-graph-change it would not go on: it decides otherwise",
  ]);
  expect(verdictDocument(changed)).toMatchObject({ run: "r", verdict: "changed", gone: ["a", "b"], allowed: true });
  expect(verdictDocument({ runId: "r", graph: "g", status: "queued", verdict: "fits" })).toEqual({
    run: "r",
    graph: "g",
    status: "queued",
    verdict: "fits",
  });
});

test("the lines of a file are split at line feeds only, however long they are", async () => {
  const file = join(temporaryFolder(), "lines");
  const lines = ["a\u2028b", "", "é".repeat(2_000_000), "last"];
  writeFileSync(file, `${lines.join("\n")}\n`);
  expect(await Array.fromAsync(readLines(file))).toEqual(lines);
  writeFileSync(file, "no end");
  expect(await Array.fromAsync(readLines(file))).toEqual(["no end"]);
});

test("a database that cannot be used is a finding; what is no error of the engine is thrown on", () => {
  const error = new MillraceError("DatabaseCorrupt", "runs.db: is no database", { hint: "restore it" });
  expect(unreachable(error)).toEqual([
    { name: "database", ok: false, text: "runs.db: is no database", hint: "restore it" },
  ]);
  expect(() => unreachable(new TypeError("a bug"))).toThrow("a bug");
});
