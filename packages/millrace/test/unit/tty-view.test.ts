import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { unpainted } from "../../src/cli/format/style.ts";
import { ProgressModel } from "../../src/cli/progress/model.ts";
import { startTtyView } from "../../src/cli/progress/tty-view.ts";
import type { ProgressView } from "../../src/cli/progress/view.ts";
import { tell } from "./events.ts";
import { Screen } from "./screen.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stage(columns = 80): { screen: Screen; model: ProgressModel; view: ProgressView } {
  const screen = new Screen(columns);
  const planned = [
    { name: "parse", per: "list" },
    { name: "index", per: "list" },
  ];
  const model = new ProgressModel(() => Date.now(), "flow", planned);
  return { screen, model, view: startTtyView(model, screen, { paint: unpainted, unicode: true }) };
}

test("the bars are redrawn in place", () => {
  const { screen, model, view } = stage();
  tell(model, [["runStarted"], ["expected", "parse", 0], ["expected", "parse", 1], ["attemptStarted", "parse", 0]]);
  vi.advanceTimersByTime(100);
  expect(screen.lines).toEqual([
    "flow · running · 00:00 · 1 in flight · run-1",
    "  parse  ────────────────────────────  0/2            1 in flight",
    "  index  ────────────────────────────  0/2",
  ]);
  tell(model, [
    ["finished", "parse", 0],
    ["finished", "parse", 1],
    ["finished", "index", 0],
  ]);
  vi.advanceTimersByTime(1_000);
  expect(screen.lines).toEqual([
    "flow · running · 00:01 · run-1",
    "  parse  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2/2",
    "  index  ━━━━━━━━━━━━━━──────────────  1/2",
  ]);
  view.stop();
});

test("at most ten frames a second, and one a second when nothing happens", () => {
  const { screen, model, view } = stage();
  vi.advanceTimersByTime(100);
  const before = screen.writes;
  for (let item = 0; item < 1_000; item++) {
    tell(model, [["finished", "parse", item]]);
    vi.advanceTimersByTime(1);
  }
  expect(screen.writes - before).toBeLessThanOrEqual(10);
  vi.advanceTimersByTime(150);
  const calm = screen.writes;
  vi.advanceTimersByTime(5_000);
  expect(screen.writes - calm).toBe(5);
  view.stop();
});

test("what others write lands above the bars", () => {
  const { screen, model, view } = stage();
  tell(model, [["expected", "parse"]]);
  vi.advanceTimersByTime(100);
  screen.write("a log line\n");
  screen.write("another, without its end");
  expect(screen.lines).toEqual([
    "a log line",
    "another, without its end",
    "flow · running · 00:00",
    "  parse  ────────────────────────────  0/1",
    "  index  ────────────────────────────  0/1",
  ]);
  view.stop();
});

test("the cursor comes back, the last frame stays, and the stream is given back", () => {
  const { screen, model, view } = stage();
  expect(screen.cursorShown).toBe(false);
  tell(model, [
    ["finished", "parse"],
    ["finished", "index"],
  ]);
  view.stop({ text: "completed", tone: "good" });
  view.stop();
  expect(screen.cursorShown).toBe(true);
  expect(screen.lines[0]).toBe("flow · completed · 00:00");
  screen.write("after\n");
  expect(screen.lines.at(-1)).toBe("after");
  expect(vi.getTimerCount()).toBe(0);
});
