import { expect, test } from "vitest";
import { painted, paintSpans, unpainted } from "../../src/cli/format/style.ts";
import { type FrameOptions, renderFrame } from "../../src/cli/progress/frame.ts";
import { ProgressModel } from "../../src/cli/progress/model.ts";
import { plainLine } from "../../src/cli/progress/plain-view.ts";
import { tell, times, type Told } from "./events.ts";

const planned = [
  { name: "list" },
  { name: "parse", per: "list" },
  { name: "fast/summarise", per: "list" },
  { name: "report" },
];
const options: FrameOptions = { columns: 110, rows: 24, unicode: true, phase: { text: "running", tone: "active" } };

/** Half-way through: 40 items listed so far, 20 parsed of which 2 failed, 3 in flight, one waiting for its retry. */
const halfWay: Told[] = [
  ["runStarted"],
  ["expected", "list"],
  ["attemptStarted", "list"],
  ...times(40, (item): Told[] => [
    ["yielded", "list", 0],
    ["expected", "parse", item],
  ]),
  ...times(18, (item): Told[] => [
    ["attemptStarted", "parse", item],
    ["finished", "parse", item],
  ]),
  ...[18, 19].flatMap((item): Told[] => [
    ["attemptStarted", "parse", item],
    ["attemptFailed", "parse", item, null],
    ["settled", "fast/summarise", item, "skipped"],
  ]),
  ...[20, 21, 22].map((item): Told => ["attemptStarted", "parse", item]),
  ["attemptStarted", "parse", 23],
  ["attemptFailed", "parse", 23, 500],
  ...times(10, (item): Told[] => [
    ["expected", "fast/summarise", item],
    ["attemptStarted", "fast/summarise", item],
    ["finished", "fast/summarise", item],
  ]),
];

function modelOf(events: readonly Told[]): ProgressModel {
  const clock = { now: 0 };
  const model = new ProgressModel(() => clock.now, "flow", planned);
  tell(model, events.slice(0, 1));
  model.snapshot();
  clock.now = 2_000;
  tell(model, events.slice(1));
  return model;
}

function frame(events: readonly Told[], changes: Partial<FrameOptions> = {}): string[] {
  return renderFrame(modelOf(events).snapshot(), { ...options, ...changes }).map((line) => paintSpans(line, unpainted));
}

test("a frame before anything happened", () => {
  expect(frame([])).toEqual([
    "flow · running · 00:02",
    "  list            ────────────────────────────  waiting",
    "  parse           ────────────────────────────  waiting",
    "  fast/summarise  ────────────────────────────  waiting",
    "  report          ────────────────────────────  waiting",
  ]);
});

test("a frame half-way", () => {
  expect(frame(halfWay)).toMatchInlineSnapshot(`
    [
      "flow · running · 00:02 · 4 in flight · 2 failed · run-1",
      "  list            ────────────────────────────  40 items      20/s  1 in flight",
      "  parse           ━━━━━━━━━━━━━━──────────────    20/40+      10/s  2 failed  1 retrying  3 in flight",
      "  fast/summarise  ━━━━━━━━────────────────────    12/40+            2 skipped",
      "  report          ────────────────────────────   waiting",
    ]
  `);
});

test("a frame in ASCII", () => {
  expect(frame(halfWay, { unicode: false })).toMatchInlineSnapshot(`
    [
      "flow | running | 00:02 | 4 in flight | 2 failed | run-1",
      "  list            ----------------------------  40 items      20/s  1 in flight",
      "  parse           ==============--------------    20/40+      10/s  2 failed  1 retrying  3 in flight",
      "  fast/summarise  ========--------------------    12/40+            2 skipped",
      "  report          ----------------------------   waiting",
    ]
  `);
});

test("a frame in a narrow terminal keeps to its width", () => {
  const lines = frame(halfWay, { columns: 48 });
  expect(lines).toMatchInlineSnapshot(`
    [
      "flow · running · 00:02 · 4 in flight · 2 faile…",
      "  list            ───────  40 items  1 in flig…",
      "  parse           ━━━╸───    20/40+  2 failed …",
      "  fast/summarise  ━━─────    12/40+  2 skipped",
      "  report          ───────   waiting",
    ]
  `);
  expect(lines.every((line) => line.length <= 47)).toBe(true);
});

test("a frame in a terminal that is hardly there", () => {
  expect(frame(halfWay, { columns: 20 }).every((line) => line.length <= 19)).toBe(true);
});

test("a frame in a low terminal shows what is at work first", () => {
  expect(frame(halfWay, { rows: 5 })).toMatchInlineSnapshot(`
    [
      "flow · running · 00:02 · 4 in flight · 2 failed · run-1",
      "  list   ────────────────────────────  40 items      20/s  1 in flight",
      "  parse  ━━━━━━━━━━━━━━──────────────    20/40+      10/s  2 failed  1 retrying  3 in flight",
      "  and 1 more, 1 waiting",
    ]
  `);
});

test("a frame when all is over", () => {
  const all: Told[] = [
    ["runStarted"],
    ...times(4, (item): Told[] => [
      ["yielded", "list", 0],
      ["expected", "parse", item],
      ["finished", "parse", item],
      ["finished", "fast/summarise", item],
    ]),
    ["finished", "list"],
    ["finished", "report"],
  ];
  expect(frame(all, { phase: { text: "completed", tone: "good" } })).toMatchInlineSnapshot(`
    [
      "flow · completed · 00:02 · run-1",
      "  list            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━  4 items",
      "  parse           ━━━━━━━━━━━━━━━━━━━━━━━━━━━━      4/4",
      "  fast/summarise  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━      4/4",
      "  report          ━━━━━━━━━━━━━━━━━━━━━━━━━━━━      1/1",
    ]
  `);
});

test("a frame in colour", () => {
  const [header, list, parse] = renderFrame(modelOf(halfWay).snapshot(), options).map((line) =>
    paintSpans(line, painted),
  );
  expect([header, list, parse]).toMatchInlineSnapshot(`
    [
      "[1mflow[22m[2m · [22m[36mrunning[39m[2m · [22m00:02[2m · [22m4 in flight[2m · [22m[31m2 failed[39m[2m · [22m[2mrun-1[22m",
      "  list            [2m────────────────────────────[22m  40 items  [2m    20/s[22m  [2m1 in flight[22m",
      "  parse           [36m━━━━━━━━━━━━━[39m[31m━[39m[2m──────────────[22m    20/40+  [2m    10/s[22m  [31m2 failed[39m  [33m1 retrying[39m  [2m3 in flight[22m",
    ]
  `);
});

test("a bar is full only when nothing is left", () => {
  const almost = times(9_999, (item): Told[] => [
    ["expected", "parse", item],
    ["finished", "parse", item],
  ]);
  expect(frame([...almost, ["expected", "parse", 9_999]])[2]).toContain("━╸  9,999/10,000");
});

test("a plain line tells what is at work", () => {
  expect(plainLine(modelOf(halfWay).snapshot())).toMatchInlineSnapshot(
    `"00:02 flow: list 40 items 20/s | parse 20/40+ 10/s 2 failed | fast/summarise 12/40+ | 4 in flight"`,
  );
});

test("open questions are counted in the header, in their row and in the plain line", () => {
  const asked = times(2, (item): Told[] => [
    ["expected", "parse", item],
    ["asked", "parse", item],
  ]);
  const [header, , row] = frame([["runStarted"], ...asked]);
  expect(header).toBe("flow · running · 00:02 · 2 to answer · run-1");
  expect(row).toMatch(/^ {2}parse .* 0\/2 +2 to answer$/);
  expect(plainLine(modelOf([["runStarted"], ...asked]).snapshot())).toBe(
    "00:02 flow: parse 0/2 2 to answer | fast/summarise 0/2 | 0 in flight",
  );
});
