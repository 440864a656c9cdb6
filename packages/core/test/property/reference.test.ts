/** The oracle is only as good as what it refuses: journals of things that cannot have happened. */
import { describe, expect, test } from "vitest";
import { collect, graph, op, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Happening } from "../../src/testing/reference/happening.ts";
import { Reference } from "../../src/testing/reference/interpreter.ts";

const numbers = op("numbers", async function* (input: { upTo: number }) {
  for (let n = 0; n < input.upTo; n++) yield { n };
});
const double = op("double", { retry: { attempts: 2 } }, (input: { n: number }) => ({ n: input.n * 2 }));
const halves = op("halves", (input: { ns: readonly number[] }) => ({ ns: input.ns }));

const doubled = graph("doubled", (input: Ref<{ upTo: number }>) => ({
  ns: halves({ ns: collect(double({ n: numbers({ upTo: input.upTo }).n }, { buffer: 1 }).n) }).ns,
}));
const plan: Plan = planOf(doubled);
const slot = (name: string): number => plan.slots.findIndex((candidate) => candidate.name === name);

const started: Happening = { kind: "started", input: { upTo: 2 }, errors: "record" };
const frame = (n: number): Happening => ({ kind: "frame", slot: slot("numbers"), at: 0, value: { n } });
const eof: Happening = { kind: "eof", slot: slot("numbers"), at: 0, value: undefined };
const output = (index: number, n: number): Happening => ({
  kind: "output",
  slot: slot("double"),
  at: [index],
  value: { n },
});
const halved: Happening = { kind: "output", slot: slot("halves"), at: 0, value: { ns: [0, 2] } };
const error = { code: "Busy", type: "Error", message: "busy", data: undefined };
const failed = (attempt: number, retryAt: number | null): Happening => ({
  kind: "attemptFailed",
  slot: slot("double"),
  at: [0],
  attempt,
  retryAt,
  error,
});

function play(happenings: readonly Happening[]): Reference {
  const reference = new Reference(plan, "record");
  for (const happening of happenings) reference.feed(happening);
  return reference;
}

describe("the reference interpreter", () => {
  test("says what a run came to, from its journal alone", () => {
    const reference = play([started, frame(0), output(0, 0), frame(1), output(1, 2), eof, halved]);
    expect(reference.outcome).toEqual({ status: "completed", output: { ns: [0, 2] }, errors: [], reason: "" });
    expect(reference.dispatched).toEqual([
      "doubled/numbers",
      "doubled/numbers[0]/double",
      "doubled/numbers[1]/double",
      "doubled/halves",
    ]);
  });

  test("counts a failure once at its node, and skips what hangs on it", () => {
    const reference = play([started, frame(0), failed(1, 9), failed(2, null), eof]);
    expect(reference.outcome).toMatchObject({
      status: "failed",
      errors: [{ node: "double", path: "doubled/numbers[0]/double", count: 1, attempts: 2 }],
    });
  });

  const impossible: [string, readonly Happening[]][] = [
    ["an output of an op that does not run yet", [started, halved]],
    ["an output of an item that does not exist", [started, frame(0), output(1, 2)]],
    ["a second output of one invocation", [started, frame(0), output(0, 0), output(0, 0)]],
    ["an item from a generator without credit", [started, frame(0), frame(1)]],
    ["an item after the end of its stream", [started, eof, frame(0)]],
    ["one value from a generator", [started, { kind: "output", slot: slot("numbers"), at: 0, value: {} }]],
    ["an attempt that was not running", [started, frame(0), failed(2, null)]],
    ["a third try of two", [started, frame(0), failed(1, 9), failed(2, 9)]],
    ["a dropped item where nothing had to go", [started, { kind: "dropped", slot: slot("numbers"), at: 0, index: 0 }]],
    [
      "a new owner of an old epoch",
      [started, { kind: "resumed", epoch: 1, inFlight: [[slot("numbers"), 0]], crashed: 0 }],
    ],
    ["a resume that forgot a body in flight", [started, { kind: "resumed", epoch: 2, inFlight: [], crashed: 0 }]],
    [
      "an end while something goes on",
      [started, { kind: "ended", status: "completed", output: undefined, errors: [] }],
    ],
    [
      "anything after the end",
      [
        started,
        frame(0),
        output(0, 0),
        eof,
        halved,
        { kind: "ended", status: "completed", output: undefined, errors: [] },
        { kind: "drainRequested" },
      ],
    ],
  ];
  test.each(impossible)("refuses %s", (_what, happenings) => {
    expect(() => play(happenings)).toThrow(expect.objectContaining({ name: "Illegal" }));
  });
});
