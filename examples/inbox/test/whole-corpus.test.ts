import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportPage } from "../src/page/page.ts";
import { reportJson, type Report } from "../src/report.ts";
import { writeReport } from "../src/write-report.ts";
import { elementsOf } from "./support/elements.ts";
import { readAll, triage, type Reading } from "./support/plain-triage.ts";

describe("the whole corpus, without an engine", () => {
  let reading: Reading;
  let report: Report;
  let outDir: string;
  beforeAll(async () => {
    reading = await readAll();
    report = triage(reading);
    outDir = await mkdtemp(join(tmpdir(), "inbox-"));
  }, 180_000);
  afterAll(() => rm(outDir, { recursive: true }));

  it("has 6,011 messages that can be triaged and 35 that cannot", () => {
    expect(reading.mails).toHaveLength(6_011);
    const reasons = Map.groupBy(reading.failures, (failure) => failure.reason);
    expect(Object.fromEntries([...reasons].map(([reason, list]) => [reason, list.length]))).toEqual({
      "bad-date": 28,
      "no-body": 4,
      "no-from": 3,
    });
  });

  it("yields a few hundred bytes per message for the journal", () => {
    const size = (pick: (mail: Reading["mails"][number]) => unknown) =>
      reading.mails.map((mail) => JSON.stringify(pick(mail)).length);
    const mean = (sizes: number[]) => sizes.reduce((a, b) => a + b, 0) / sizes.length;
    const envelopes = size((mail) => mail.envelope);
    const contents = size(({ features, language }) => ({ features, language }));
    expect(mean(envelopes)).toBeLessThan(300);
    expect(mean(contents)).toBeLessThan(350);
    expect(Math.max(...envelopes, ...contents)).toBeLessThan(600);
  });

  it("is classified with at least 97 % accuracy on the test split", () => {
    const { quality, totals } = report;
    expect(totals).toMatchObject({ messages: 6_046, failed: 35, trainedOn: 4_247, testedOn: 1_764 });
    expect(quality.accuracy).toBeGreaterThanOrEqual(0.97);
    expect(quality.confusion).toEqual({ hamAsHam: 1_197, hamAsSpam: 11, spamAsHam: 17, spamAsSpam: 539 });
  });

  it("gives a report of identical bytes for equal inputs", () => {
    const copy = triage(structuredClone(reading));
    expect(reportJson(copy)).toBe(reportJson(report));
    expect(reportPage(copy)).toBe(reportPage(report));
  });

  it("gives a page whose markup is all our own", () => {
    const names = new Set(elementsOf(reportPage(report)).map((element) => element.name));
    expect([...names].filter((name) => ["script", "a", "img", "link", "iframe", "font"].includes(name))).toEqual([]);
  });

  it("is written as two whole files, again and again the same", async () => {
    const first = await writeReport(report, join(outDir, "new", "folder"));
    expect(await writeReport(report, join(outDir, "new", "folder"))).toEqual(first);
    expect(await readFile(first.json.path, "utf8")).toBe(reportJson(report));
    expect(await readFile(first.html.path, "utf8")).toBe(reportPage(report));
  });
});
