import { describe, expect, it } from "vitest";
import { reportPage } from "../src/page/page.ts";
import { buildReport, reportJson, type Findings } from "../src/report.ts";
import { count, emptyTally } from "../src/tally.ts";
import { elementsOf } from "./support/elements.ts";

const hostile = `</title><script>alert("1")</script><img src=x onerror='a&b'> \u0000\u0007\ud800 \u202e`;
const findings: Findings = {
  judgements: [
    { split: "test", label: "spam", verdict: "spam" },
    { split: "test", label: "ham", verdict: "spam" },
    { split: "test", label: "spam", verdict: "ham" },
    { split: "train", label: "ham", verdict: "ham" },
  ],
  failures: [{ id: hostile, reason: hostile, message: hostile }],
  languages: ["en", "unknown", "en", "de"],
  months: count(emptyTally, "2002-08", "ham"),
  senders: count(emptyTally, hostile, "spam"),
  threads: [{ subject: hostile, messages: 2, participants: 1, first: 0, last: 1 }],
};
const nothing: Findings = { judgements: [], failures: [], languages: [], months: [], senders: [], threads: [] };

describe("the report", () => {
  it("judges the test split only, with spam as the positive class", () => {
    expect(buildReport(findings).quality).toEqual({
      confusion: { hamAsHam: 0, hamAsSpam: 1, spamAsHam: 1, spamAsSpam: 1 },
      accuracy: 0.3333,
      precision: 0.5,
      recall: 0.5,
    });
  });

  it("counts what was triaged and what failed", () => {
    expect(buildReport(findings).totals).toMatchObject({
      messages: 5,
      triaged: 4,
      failed: 1,
      trainedOn: 1,
      testedOn: 3,
    });
    expect(buildReport(findings).languages[0]).toEqual({ language: "en", messages: 2 });
  });

  it("can be made of nothing", () => {
    const report = buildReport(nothing);
    expect(report.quality.accuracy).toBeNull();
    expect(() => elementsOf(reportPage(report))).not.toThrow();
    expect(JSON.parse(reportJson(report))).toEqual(report);
  });
});

describe("the page", () => {
  const page = reportPage(buildReport(findings));

  it("shows hostile subjects, senders and reasons as text", () => {
    const names = new Set(elementsOf(page).map((element) => element.name));
    expect(names).not.toContain("script");
    expect(names).not.toContain("img");
    expect(page).toContain("&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(page.isWellFormed()).toBe(true);
    expect(page).not.toMatch(/[\u0000-\u0008\u000e-\u001f]/);
  });

  it("loads nothing and says so in its policy", () => {
    const elements = elementsOf(page);
    const loading = elements.filter(({ attributes }) =>
      ["src", "href", "srcset", "data", "action", "style"].some((name) => attributes.has(name)),
    );
    expect(loading).toEqual([]);
    expect(page).not.toMatch(/url\(|@import|https?:/i);
    expect(
      elements
        .find(({ attributes }) => attributes.get("http-equiv") === "Content-Security-Policy")
        ?.attributes.get("content"),
    ).toBe("default-src 'none'; style-src 'unsafe-inline'");
  });

  it("names each chart for people who cannot see it", () => {
    const charts = elementsOf(page).filter((element) => element.name === "svg");
    expect(charts).toHaveLength(3);
    expect(
      charts.every(({ attributes }) => attributes.get("role") === "img" && attributes.get("aria-label") !== ""),
    ).toBe(true);
  });
});
