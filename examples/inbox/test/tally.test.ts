import { describe, expect, it } from "vitest";
import { countMonth, monthOf } from "../src/months.ts";
import { countSender } from "../src/senders.ts";
import { count, countsByKey, countsBySize, emptyTally } from "../src/tally.ts";

describe("a tally", () => {
  it("counts by key and label, and leaves the tally it was given unchanged", () => {
    const one = count(emptyTally, "a", "ham");
    const three = count(count(one, "a", "spam"), "b", "spam");
    expect(countsByKey(one)).toEqual([{ key: "a", ham: 1, spam: 0 }]);
    expect(countsByKey(three)).toEqual([
      { key: "a", ham: 1, spam: 1 },
      { key: "b", ham: 0, spam: 1 },
    ]);
    expect(countsByKey(emptyTally)).toEqual([]);
  });

  it("ranks by size, then by key, in any order of counting", () => {
    const keys = ["b", "c", "a", "c", "__proto__", "constructor"];
    const ranked = ["c", "__proto__", "a", "b", "constructor"];
    const tallied = (list: string[]) => list.reduce((tally, key) => count(tally, key, "ham"), emptyTally);
    expect(countsBySize(tallied(keys)).map(({ key }) => key)).toEqual(ranked);
    expect(countsBySize(tallied(keys.toReversed()))).toEqual(countsBySize(tallied(keys)));
  });

  it("is kept per month in UTC and per sender", () => {
    const date = Date.UTC(2002, 7, 31, 23, 59);
    expect(monthOf(date)).toBe("2002-08");
    expect(countsByKey(countMonth(emptyTally, { date, label: "ham" }))).toEqual([{ key: "2002-08", ham: 1, spam: 0 }]);
    expect(countsByKey(countSender(emptyTally, { from: "a@b.c", label: "spam" }))).toEqual([
      { key: "a@b.c", ham: 0, spam: 1 },
    ]);
  });
});
