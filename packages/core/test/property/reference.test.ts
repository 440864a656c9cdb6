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

describe("the reference interpreter, of crashes", () => {
  const risky = op("risky", { effect: "unsafe" }, async () => ({ n: 1 }));
  const plain = op("plain", async () => ({ n: 1 }));
  const flow = planOf(graph("flow", () => ({ a: risky({}).n, b: plain({}).n })));
  const at = (name: string): { slot: number; at: 0 } => ({
    slot: flow.slots.findIndex((candidate) => candidate.name === name),
    at: 0,
  });
  const begins: Happening = { kind: "started", input: undefined, errors: "record" };
  const start = (attempt = 1): Happening => ({ kind: "unsafeStart", ...at("risky"), attempt, startedAt: 1 });
  const crashed = (epoch: number, ...names: string[]): Happening => ({
    kind: "resumed",
    epoch,
    inFlight: names.map((name) => [at(name).slot, 0] as const),
    crashed: 5,
  });
  const asked = (doubt = 1): Happening => ({
    kind: "asked",
    ...at("risky"),
    due: null,
    payload: { reason: "", attempt: 1, input: {} },
    path: "flow/risky",
    doubt,
  });
  const said = (value: unknown): Happening => ({ kind: "answered", ...at("risky"), by: "", value });
  const came = (name: string): Happening => ({ kind: "output", ...at(name), value: { n: 1 } });
  const lost = (code: string): Happening => ({
    kind: "attemptFailed",
    ...at("plain"),
    attempt: 1,
    retryAt: null,
    error: { ...error, code },
  });
  const playFlow = (happenings: readonly Happening[]): Reference => {
    const reference = new Reference(flow, "record");
    for (const happening of [begins, ...happenings]) reference.feed(happening);
    return reference;
  };
  const both = ["risky", "plain"];
  const thrice = [crashed(2, ...both), crashed(3, ...both), crashed(4, ...both)];

  test("a body in doubt is what was said of it, and one at work at three crashes is over", () => {
    const ended = playFlow([
      start(),
      crashed(2, ...both),
      asked(),
      said({ rerun: true }),
      start(),
      crashed(3, ...both),
      asked(2),
      crashed(4, ...both),
      lost("CrashLoop"),
      said({ output: { n: 7 } }),
    ]);
    expect(ended.outcome).toMatchObject({ status: "failed", errors: [{ node: "plain", code: "CrashLoop" }] });
  });

  const refused: [string, readonly Happening[]][] = [
    ["an output of an unsafe body that did not begin", [came("risky")]],
    ["a second start of one attempt", [start(), start()]],
    ["a start of another attempt", [start(2)]],
    ["a question about a body that did not begin", [crashed(2, ...both), asked()]],
    ["a second question about one body in doubt", [start(), crashed(2, ...both), asked(), asked(2)]],
    ["a question counted wrongly", [start(), crashed(2, ...both), asked(2)]],
    ["an output of a body in doubt that nobody said", [start(), crashed(2, ...both), asked(), start()]],
    ["a verdict that nobody asked for", [start(), said({ rerun: true })]],
    ["a crash loop after two crashes", [...thrice.slice(0, 2), lost("CrashLoop")]],
    ["an output of a body that is in a crash loop", [...thrice, came("plain")]],
    ["another failure of it", [...thrice, lost("Failed")]],
  ];

  test.each(refused)("refuses %s", (_, happenings) => {
    expect(() => playFlow(happenings)).toThrow(/^(?!.*undefined)/u);
    expect(() => playFlow(happenings.slice(0, -1))).not.toThrow();
  });
});
