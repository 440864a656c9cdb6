import { beforeEach, describe, expect, test } from "vitest";
import { collect, each, graph, op, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import { outputEvent, startedEvent } from "../../src/scheduler/event.ts";
import { step } from "../../src/scheduler/step.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { Gaps } from "../../src/state/gaps.ts";
import { openInvocations } from "../../src/state/invocations.ts";
import type { Pending } from "../../src/state/pending.ts";
import { programOf } from "../../src/state/program.ts";
import { Resolution } from "../../src/state/resolution.ts";
import { RunState } from "../../src/state/run-state.ts";
import type { StreamInstance } from "../../src/state/stream.ts";
import { work } from "../../src/state/work.ts";

const first = op("first", (input: { x: number }) => ({ y: input.x }));
const second = op("second", (input: { y: number }) => ({ z: input.y }));
const pipeline = graph("pipeline", (input: Ref<{ xs: number[] }>) => {
  const y = first({ x: each(input.xs) }, { parallel: 2, buffer: 3 });
  return { zs: collect(second({ y: y.y }).z) };
});

let run: RunState;
let stream: StreamInstance;

/** Four items, three of them open: one is through `first` and in `second`, one in `first`, one in its line. */
beforeEach(() => {
  run = new RunState(programOf(planOf(pipeline)), { runId: "run" }, false);
  step(run, startedEvent({ xs: [1, 2, 3, 4] }));
  step(run, outputEvent(openInvocations(run)[0] as Pending, { y: 1 }));
  stream = run.root.streams![0]!;
});

function manyGaps(): Gaps {
  const gaps = new Gaps();
  for (let i = 0; i < 20; i += 2) gaps.add(i);
  return gaps;
}

describe("the executable invariants", () => {
  test("hold in a sound state", () => {
    expect(stream.openItems).toBe(3);
    expect(() => checkInvariants(run)).not.toThrow();
  });

  const breaks: [string, string, () => unknown][] = [
    ["C1", "a collector's count of what is left", () => stream.collects[0]!.left--],
    ["C2", "a collector that fired too early", () => (stream.collects[0]!.fired = true)],
    ["D3", "the count of bodies in flight", () => run.inFlight++],
    ["K1", "a context's count of its work", () => stream.first!.open++],
    ["K3", "a context that closed with work", () => (stream.owner.closed = true)],
    ["L1", "a lane's count of who runs", () => stream.lanes[0]!.running--],
    ["L2", "a lane that keeps more than its stream may have open", () => (stream.lanes[0]!.gaps = manyGaps())],
    ["R3", "the count of what a slot waits for", () => run.root.states[run.root.states.length - 1]!++],
    [
      "R1",
      "a running slot without its invocation",
      () => (stream.first!.values[stream.first!.states.indexOf(Resolution.running)] = undefined),
    ],
    ["S1", "a stream's count of its open items", () => stream.openItems++],
    ["S1", "two items out of yield order", () => (stream.yielded = 1)],
    ["S2", "a list that ended before its last item", () => (stream.ended = true)],
  ];
  test.each(breaks)("%s tells of %s", (id, _what, spoil) => {
    spoil();
    expect(() => checkInvariants(run)).toThrow(`invariant ${id}:`);
  });

  test("E2 tells of consequences that a step left", () => {
    work.push(run.root, 0);
    try {
      expect(() => checkInvariants(run)).toThrow("invariant E2:");
    } finally {
      work.reset();
    }
  });
});
