/** What the oracle refuses of control blocks: choices that are missing, wrong or too many, and answers of what was swept. */
import { describe, expect, test } from "vitest";
import { derive, fallback, graph, loop, op, race, when, type Ref } from "../../src/index.ts";
import { planOf } from "../../src/build/plan-of.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Happening } from "../../src/testing/reference/happening.ts";
import type { Reference } from "../../src/testing/reference/interpreter.ts";
import { interpret } from "../../src/testing/simulate/verdict.ts";

const give = op("give", async ({ n }: { n: number }) => ({ n }));
const started = (n: number): Happening => ({ kind: "started", input: { n }, errors: "record" });
const error = { code: "Busy", type: "Error", message: "busy", data: undefined };

interface Journal {
  readonly plan: Plan;
  readonly output: (name: string, at: readonly number[] | 0, n: number) => Happening;
  readonly failed: (name: string, at: readonly number[] | 0) => Happening;
  readonly decision: (name: string, at: readonly number[] | 0, choice: number) => Happening;
}

function journalOf(plan: Plan): Journal {
  const slot = (name: string): number => plan.slots.findIndex((candidate) => candidate.name === name);
  return {
    plan,
    output: (name, at, n) => ({ kind: "output", slot: slot(name), at, value: { n } }),
    failed: (name, at) => ({ kind: "attemptFailed", slot: slot(name), at, attempt: 1, retryAt: null, error }),
    decision: (name, at, choice) => ({ kind: "decision", slot: slot(name), at, choice }),
  };
}

const chosen = journalOf(
  planOf(
    graph("chosen", (input: Ref<{ n: number }>) =>
      when(
        "big",
        derive(input.n, (n) => n > 3),
        () => give({ n: input.n }),
        () => ({ n: 0 }),
      ),
    ),
  ),
);
const looped = journalOf(
  planOf(
    graph("looped", (input: Ref<{ n: number }>) =>
      loop("up", {}, { n: input.n }, (s) => {
        const next = give({ n: s.n });
        return { next: { n: next.n }, until: derive(next.n, (n) => n > 3) };
      }),
    ),
  ),
);
const raced = journalOf(
  planOf(
    graph("raced", (input: Ref<{ n: number }>) =>
      race("first", { a: () => give({ n: input.n }), b: () => give({ n: input.n }) }),
    ),
  ),
);
const fell = journalOf(
  planOf(
    graph("fell", (input: Ref<{ n: number }>) =>
      fallback(
        "f",
        () => {
          give({ n: input.n }, { name: "other" });
          return give({ n: input.n });
        },
        () => give({ n: input.n }),
      ),
    ),
  ),
);

function play({ plan }: Journal, happenings: readonly Happening[]): Reference {
  return interpret(plan, happenings).reference;
}

describe("the reference interpreter, of control blocks", () => {
  test("takes the arm that the journal says", () => {
    const { decision, output } = chosen;
    const reference = play(chosen, [started(5), decision("big", 0, 0), output("big/then/give", 0, 5)]);
    expect(reference.outcome).toMatchObject({ status: "completed", output: { n: 5 } });
  });

  test("opens iteration after iteration", () => {
    const { decision, output } = looped;
    const reference = play(looped, [
      started(2),
      output("up/give", [0], 3),
      decision("up", [0], 0),
      output("up/give", [1], 4),
      decision("up", [1], 1),
    ]);
    expect(reference.outcome).toMatchObject({ status: "completed", output: { n: 4 } });
    expect(reference.dispatched).toEqual(["looped/up#0/give", "looped/up#1/give"]);
  });

  test("sweeps who lost a race", () => {
    const reference = play(raced, [started(1), raced.output("first/b/give", 0, 7), raced.decision("first", 0, 1)]);
    expect(reference.outcome).toMatchObject({ status: "completed", output: { n: 7 } });
    expect(reference.swept).toEqual(["raced/first/a/give"]);
  });

  test("runs the handler when the body failed", () => {
    const reference = play(fell, [started(1), fell.failed("f/body/give", 0), fell.output("f/handler/give", 0, 2)]);
    expect(reference.outcome).toMatchObject({ status: "completed", output: { n: 2 } });
    expect(reference.swept).toEqual(["fell/f/body/other"]);
  });

  const impossible: [string, Journal, readonly Happening[]][] = [
    ["a choice that nobody wrote down", chosen, [started(5), chosen.output("big/then/give", 0, 5)]],
    ["the other arm", chosen, [started(5), chosen.decision("big", 0, 1)]],
    ["an arm that does not exist", chosen, [started(5), chosen.decision("big", 0, 2)]],
    ["two choices of one block", chosen, [started(5), chosen.decision("big", 0, 0), chosen.decision("big", 0, 0)]],
    ["a choice somewhere else", chosen, [started(5), chosen.decision("big", [0], 0)]],
    [
      "a loop that goes on after its end",
      looped,
      [started(2), looped.output("up/give", [0], 4), looped.decision("up", [0], 0)],
    ],
    ["a loop that decides before its iteration closed", looped, [started(2), looped.decision("up", [0], 0)]],
    [
      "an answer of an iteration that is over",
      looped,
      [started(2), looped.output("up/give", [0], 3), looped.decision("up", [0], 0), looped.output("up/give", [0], 3)],
    ],
    ["the wrong winner", raced, [started(1), raced.output("first/b/give", 0, 7), raced.decision("first", 0, 0)]],
    ["a handler without a failure", fell, [started(1), fell.output("f/handler/give", 0, 2)]],
    [
      "an answer of what was swept",
      fell,
      [started(1), fell.failed("f/body/give", 0), fell.output("f/body/other", 0, 2)],
    ],
  ];
  test.each(impossible)("refuses %s", (_what, journal, happenings) => {
    expect(() => play(journal, happenings)).toThrow(expect.objectContaining({ name: "Illegal" }));
  });
});
