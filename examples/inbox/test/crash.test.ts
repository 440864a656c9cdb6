import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkCrash } from "../src/demo/checks.ts";
import { folderAt } from "../src/demo/folder.ts";
import { temporaryFolder } from "./support/run-demo.ts";

/** Two items through `parse` and `describe`; the first process died with `parse` of the second item at work. */
const evidence = {
  killed: ["start parse a/parse", "end parse a/parse", "start describe a/describe", "end describe a/describe"],
  inFlight: ["start parse b/parse"],
  resumed: ["journaled parse a/parse", "journaled describe a/describe", "start parse b/parse"],
  rest: ["start describe b/describe"],
  whole: ["start parse a/parse", "start describe a/describe", "start parse b/parse", "start describe b/describe"],
  finished: { parse: 1, describe: 1 },
  uninterruptedReport: "{}",
};

/** What did not hold with this evidence. */
function differed(changes: Partial<typeof evidence>): string[] {
  const seen = { ...evidence, ...changes };
  const folder = folderAt(temporaryFolder());
  mkdirSync(folder.uninterrupted);
  const write = (file: string, lines: readonly string[]): void => writeFileSync(file, `${lines.join("\n")}\n`);
  write(folder.logs.first, [...seen.killed, ...seen.inFlight]);
  write(folder.logs.second, [...seen.resumed, ...seen.rest]);
  write(folder.logs.uninterrupted, seen.whole);
  for (const name of ["report.json", "report.html"]) {
    writeFileSync(join(folder.dir, name), "{}");
    writeFileSync(join(folder.uninterrupted, name), seen.uninterruptedReport);
  }
  const { checks } = checkCrash({ records: 3, finished: seen.finished }, folder);
  return checks.filter(({ held }) => !held).map(({ otherwise }) => otherwise);
}

describe("the demo's judgement of a crash", () => {
  it("accepts one after which only what was in flight ran again", () => {
    expect(differed({})).toEqual([]);
  });

  it("sees a finished op that ran again", () => {
    const found = differed({ resumed: [...evidence.resumed, "start parse a/parse"] });
    expect(found.join("\n")).toContain("ran again though finished: 1 (a/parse)");
  });

  it("sees an op in flight that was forgotten", () => {
    const found = differed({ resumed: evidence.resumed.slice(0, 2) });
    expect(found).toHaveLength(2);
    expect(found.join("\n")).toContain("forgotten: 1 (b/parse)");
  });

  it("sees an op that started twice in the resumed process", () => {
    expect(differed({ rest: [...evidence.rest, ...evidence.rest] }).join()).toContain("started twice on resume: 1");
  });

  it("sees a journal that held other results than were taken over", () => {
    expect(differed({ finished: { parse: 2, describe: 1 } })).toEqual([
      "the journal held parse 2 · describe 1; taken over were parse 1 · describe 1",
    ]);
  });

  it("sees that both processes did less than the uninterrupted run", () => {
    expect(differed({ whole: [...evidence.whole, "start parse c/parse"] })).toEqual([
      "both processes together did 4 ops, the uninterrupted run 5",
    ]);
  });

  it("sees reports that differ in a byte", () => {
    expect(differed({ uninterruptedReport: "{ }" }).map((text) => text.slice(0, 25))).toEqual([
      "report.json differs from ",
      "report.html differs from ",
    ]);
  });
});
