import { expect, test } from "vitest";
import { ProgressModel } from "../../src/cli/progress/model.ts";
import type { NodeProgress } from "../../src/cli/progress/node-progress.ts";
import { tell, times } from "./events.ts";

const planned = [{ name: "list" }, { name: "parse", per: "list" }, { name: "index", per: "list" }];

function modelAt(start = 0): { model: ProgressModel; clock: { now: number }; node: (name: string) => NodeProgress } {
  const clock = { now: start };
  const model = new ProgressModel(() => clock.now, "flow", planned);
  return { model, clock, node: (name) => model.snapshot().nodes.find((entry) => entry.node === name)! };
}

test("planned nodes are there before anything happened", () => {
  const { model } = modelAt();
  expect(model.snapshot().nodes.map((node) => [node.node, node.total, node.done])).toEqual([
    ["list", 0, 0],
    ["parse", 0, 0],
    ["index", 0, 0],
  ]);
});

test("an invocation is expected, in flight, then done", () => {
  const { model, node } = modelAt();
  tell(model, [
    ["expected", "parse", 0],
    ["expected", "parse", 1],
    ["attemptStarted", "parse", 0],
  ]);
  expect(node("parse")).toMatchObject({ total: 2, inFlight: 1, done: 0 });
  tell(model, [["finished", "parse", 0]]);
  expect(node("parse")).toMatchObject({ total: 2, inFlight: 0, done: 1 });
});

test("a failed attempt that is retried is waiting, not failed", () => {
  const { model, node } = modelAt();
  tell(model, [
    ["expected", "parse"],
    ["attemptStarted", "parse"],
    ["attemptFailed", "parse", 0, 500],
  ]);
  expect(node("parse")).toMatchObject({ inFlight: 0, retrying: 1, failed: 0 });
  tell(model, [["attemptStarted", "parse"]]);
  expect(node("parse")).toMatchObject({ inFlight: 1, retrying: 0, failed: 0 });
  tell(model, [["attemptFailed", "parse", 0, null]]);
  expect(node("parse")).toMatchObject({ inFlight: 0, retrying: 0, failed: 1, total: 1 });
});

test("a body that a crash left in flight and that starts again is counted once", () => {
  const { model, node } = modelAt();
  tell(
    model,
    [
      ["expected", "parse"],
      ["attemptStarted", "parse"],
    ],
    true,
  );
  tell(model, [["attemptStarted", "parse"]]);
  expect(node("parse")).toMatchObject({ inFlight: 1, total: 1 });
  tell(model, [["finished", "parse"]]);
  expect(node("parse")).toMatchObject({ inFlight: 0, done: 1, restored: 0, total: 1 });
});

test("what was finished before is restored and no part of the rate", () => {
  const { model, clock, node } = modelAt();
  tell(
    model,
    times(1_000, (item) => [
      ["expected", "parse", item],
      ["finished", "parse", item],
    ]),
    true,
  );
  tell(model, [["attemptStarted", "parse", 1_000]]);
  model.snapshot();
  clock.now = 1_000;
  tell(
    model,
    times(10, (item) => [["finished", "parse", 2_000 + item]]),
  );
  expect(node("parse")).toMatchObject({ done: 1_010, restored: 1_000, perSecond: 10 });
});

test("nodes of one stream share its number of items", () => {
  const { model, node } = modelAt();
  tell(
    model,
    times(7, (item) => [["expected", "parse", item]]),
  );
  tell(model, [
    ["finished", "parse", 0],
    ["expected", "index", 0],
  ]);
  expect(node("index")).toMatchObject({ total: 7, done: 0 });
  expect(node("list")).toMatchObject({ total: 0 });
});

test("absent and skipped invocations count as settled", () => {
  const { model, node } = modelAt();
  tell(model, [
    ["expected", "index", 0],
    ["settled", "index", 0, "absent"],
    ["settled", "index", 1, "skipped"],
  ]);
  expect(node("index")).toMatchObject({ total: 2, absent: 1, skipped: 1 });
});

test("totals are open while a generator is under way", () => {
  const { model } = modelAt();
  tell(model, [
    ["expected", "list"],
    ["attemptStarted", "list"],
    ["yielded", "list", 0],
    ["yielded", "list", 0],
  ]);
  expect(model.snapshot()).toMatchObject({ open: true, nodes: [{ yielded: 2 }, {}, {}] });
  tell(model, [["finished", "list"]]);
  expect(model.snapshot().open).toBe(false);
});

test("the rate is that of the last seconds while at work, and the average afterwards", () => {
  const { model, clock, node } = modelAt();
  tell(model, [["attemptStarted", "parse", 9_999]]);
  node("parse");
  for (let second = 1; second <= 10; second++) {
    clock.now = second * 1_000;
    tell(
      model,
      times(second <= 5 ? 100 : 20, (item) => [["finished", "parse", second * 1_000 + item]]),
    );
    node("parse");
  }
  expect(node("parse").perSecond).toBe(20);
  tell(model, [["finished", "parse", 9_999]]);
  expect(node("parse").perSecond).toBeCloseTo(60.1, 1);
});

test("events of other nodes change nothing", () => {
  const { model } = modelAt();
  const before = model.version;
  tell(model, [
    ["finished", "input"],
    ["finished", "someCell"],
  ]);
  expect(model.version).toBe(before);
});

test("what is under way is forgotten when it is over", () => {
  const { model, node } = modelAt();
  tell(
    model,
    times(10_000, (item) => [
      ["expected", "parse", item],
      ["attemptStarted", "parse", item],
      ["finished", "parse", item],
    ]),
  );
  expect(node("parse")).toMatchObject({ inFlight: 0, retrying: 0, done: 10_000, total: 10_000 });
});

test("a question is to answer until it is answered, withdrawn or timed out", () => {
  const { model, node } = modelAt();
  tell(
    model,
    times(3, (item) => [
      ["expected", "parse", item],
      ["asked", "parse", item],
    ]),
  );
  expect(node("parse")).toMatchObject({ asked: 3, inFlight: 0, retrying: 0, done: 0, total: 3 });
  tell(model, [
    ["finished", "parse", 0],
    ["settled", "parse", 1, "swept"],
    ["attemptFailed", "parse", 2, null],
  ]);
  expect(node("parse")).toMatchObject({ asked: 0, done: 1, absent: 1, failed: 1, total: 3 });
});
