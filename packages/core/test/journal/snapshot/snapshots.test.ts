import { describe, expect, test } from "vitest";
import { loop, graph, op, derive, type Ref } from "../../../src/index.ts";
import { planOf } from "../../../src/build/plan-of.ts";
import { snapshotPolicy } from "../../../src/engine/snapshot-options.ts";
import { Snapshots, type Logged } from "../../../src/journal/snapshot/snapshots.ts";
import { programOf } from "../../../src/state/program.ts";
import { RunState } from "../../../src/state/run-state.ts";

const nothing: Logged = { characters: 0, rows: 0 };
const usual = (logged = nothing): Snapshots => new Snapshots(snapshotPolicy(undefined)!, logged);

const add = op("add", ({ n }: { n: number }) => ({ n: n + 1 }));
const plan = planOf(
  graph("small", (input: Ref<{ n: number }>) => ({
    n: loop("turns", { max: 3 }, { n: input.n }, (state) => {
      const { n } = add({ n: state.n });
      return { next: { n }, until: derive(n, (count) => count > 1) };
    }).n,
  })),
);

/** Rows of so many characters until one is due. */
function rowsUntilDue(snapshots: Snapshots, characters: number): number {
  for (let rows = 1; rows <= 10_000; rows++) {
    snapshots.logged(characters);
    snapshots.row();
    if (snapshots.due) return rows;
  }
  return Infinity;
}

describe("SN5 unless it is said otherwise, a snapshot is tried", () => {
  test("after 64 rows, when these are 4 Ki", () => {
    expect(rowsUntilDue(usual(), 100)).toBe(64);
    expect(rowsUntilDue(usual(), 10)).toBe(410);
  });

  test("after 32 Ki, when these are fewer rows", () => {
    expect(rowsUntilDue(usual(), 1_024)).toBe(32);
    expect(rowsUntilDue(usual(), 40_000)).toBe(1);
  });

  test("a little later in a process that was just started, however much there is", () => {
    expect(rowsUntilDue(usual({ characters: 6_400, rows: 100 }), 100)).toBe(16);
    expect(rowsUntilDue(usual({ characters: 6_400, rows: 45 }), 100)).toBe(19);
    expect(rowsUntilDue(usual({ characters: 6_400_000, rows: 100 }), 1_024)).toBe(8);
  });
});

test("SN5 who sets either of its options has nothing written before that", () => {
  expect(rowsUntilDue(new Snapshots(snapshotPolicy({ share: 0.5 })!, nothing), 100)).toBe(328);
  expect(rowsUntilDue(new Snapshots(snapshotPolicy({ after: 500 })!, nothing), 100)).toBe(5);
  expect(snapshotPolicy(false)).toBeUndefined();
});

test("SN1 SN2 a state of a quarter of 4 Ki is written, one of more when there is twice as much log", () => {
  const run = new RunState(programOf(plan), { runId: "r" }, false);
  const small = usual();
  expect(rowsUntilDue(small, 100)).toBe(64);
  expect(small.take(run)?.length).toBeLessThan(1_600);
  expect(rowsUntilDue(small, 100)).toBe(64);

  run.tags = { traceId: "x".repeat(2_000), labels: {} };
  const large = usual();
  expect(rowsUntilDue(large, 100)).toBe(64);
  expect(large.take(run)).toBeNull();
  expect(rowsUntilDue(large, 100)).toBe(64);
  expect(large.take(run)).toContain("xxx");
});
