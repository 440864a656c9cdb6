/** Q1: a run that takes the short way of a step leaves what one leaves that is observed, and therefore takes the long one. */
import { describe, expect, test } from "vitest";
import {
  collect,
  derive,
  each,
  fallback,
  graph,
  interrupt,
  loop,
  memory,
  op,
  type Graph,
  type Ref,
} from "../../src/index.ts";
import { z } from "zod";
import { planOf } from "../../src/build/plan-of.ts";
import { systemClock } from "../../src/ports/system.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { programOf } from "../../src/state/program.ts";
import { open } from "../acceptance/support/engines.ts";

interface Count {
  readonly n: number;
}
type Flow = Graph<Count, unknown>;

const add = op("add", async ({ n }: Count) => ({ n: n + 1 }));
const addInline = op("addInline", ({ n }: Count) => ({ n: n + 1 }));
const failsAtThree = op("failsAtThree", async ({ n }: Count) => {
  if (n === 3) throw new Error("three");
  return { n: n + 1 };
});
const forgetsAtThree = op("forgetsAtThree", async ({ n }: Count): Promise<Count> =>
  n === 3 ? ({} as Count) : { n: n + 1 },
);

function throwsAt(limit: number, end: number): (n: number) => boolean {
  return (n) => {
    if (n === limit) throw new Error("edge");
    return n >= end;
  };
}

const overTen = (n: number): boolean => n >= 10;
const countTo = (step: typeof add, until: (n: number) => boolean, options: { max?: number; onLimit?: "exit" } = {}) =>
  graph("counted", (input: Ref<Count>) =>
    loop("count", options, { n: input.n }, (state) => {
      const next = step({ n: state.n });
      return { next: { n: next.n }, until: derive(next.n, until) };
    }),
  );

/** Those that take the short way, by what is unusual about them. */
const flows: Readonly<Record<string, Flow>> = {
  nothing: countTo(add, overTen),
  "an inline body": countTo(addInline, overTen),
  "an op that fails": countTo(failsAtThree, overTen),
  "a key that is missing": countTo(forgetsAtThree, overTen),
  "an edge that throws": countTo(add, throwsAt(4, 10)),
  "a limit that fails": countTo(add, overTen, { max: 4 }),
  "a limit that is an exit": countTo(add, overTen, { max: 4, onLimit: "exit" }),
  "a state that is carried on and read": graph("carried", (input: Ref<Count>) =>
    loop("count", {}, { n: input.n, most: 5 }, (state) => {
      const next = add({ n: state.n });
      return {
        next: { n: next.n, most: state.most },
        until: derive([state.most, next.n], ([most, n]) => n > most),
        result: { n: next.n, was: state.n },
      };
    }),
  ),
  "an edge of the state that throws": graph("thrown", (input: Ref<Count>) =>
    loop("count", {}, { n: input.n }, (state) => {
      const next = add({ n: state.n });
      return { next: { n: next.n }, until: derive(state.n, throwsAt(4, 10)) };
    }),
  ),
  "two ops in turn": graph("two", (input: Ref<Count>) =>
    loop("count", {}, { n: input.n }, (state) => {
      const next = failsAtThree({ n: add({ n: state.n }).n });
      return { next: { n: next.n }, until: derive(next.n, overTen) };
    }),
  ),
  "a handler around": graph("handled", (input: Ref<Count>) =>
    fallback(
      "safe",
      () =>
        loop("count", {}, { n: input.n }, (state) => {
          const next = failsAtThree({ n: state.n });
          return { next: { n: next.n }, until: derive(next.n, overTen) };
        }),
      (error) => ({ n: derive(error.message, (text) => text.length) }),
    ),
  ),
  "a chain with a key that is missing": graph("chain", (input: Ref<Count>) => {
    const first = add({ n: input.n }, { name: "first" });
    const second = forgetsAtThree({ n: add({ n: first.n }, { name: "second" }).n });
    return { n: add({ n: second.n }, { name: "last" }).n };
  }),
};

async function play(flow: Flow, n: number, how: "observed" | "unobserved" | "without a journal"): Promise<unknown> {
  const backend = how === "without a journal" ? {} : { backend: memory() };
  const engine = await open({
    ...backend,
    graphs: [flow],
    check: checkInvariants,
    clock: { ...systemClock, now: () => 0 },
    ...(how === "observed" ? { observer: { finished: () => undefined } } : {}),
  });
  const result = await (await engine.start(flow, { n }, { id: "run" })).result();
  const journal: string[] = [];
  if (backend.backend !== undefined)
    for await (const { bytes } of backend.backend.read("run")) journal.push(new TextDecoder().decode(bytes));
  return { result, journal };
}

describe("a step that takes the short way", () => {
  test.each(Object.entries(flows))("leaves the journal and the outcome of the long one, with %s", async (_, flow) => {
    const { sequels } = programOf(planOf(flow));
    expect(sequels.some((sequel) => sequel !== null)).toBe(true);
    for (let n = 0; n < 5; n++) {
      const long = (await play(flow, n, "observed")) as { result: unknown };
      expect(await play(flow, n, "unobserved")).toEqual(long);
      expect(await play(flow, n, "without a journal")).toEqual({ result: long.result, journal: [] });
    }
  });

  test("is there for the loops above, and not where an iteration has more to do", () => {
    const openings = (flow: Flow): boolean[] =>
      programOf(planOf(flow as never))
        .loops.filter((table) => table !== null)
        .map(({ opening }) => opening !== null);
    expect(openings(flows["nothing"] as Flow)).toEqual([true]);
    expect(openings(flows["a state that is carried on and read"] as Flow)).toEqual([true]);
    const perItem = graph("perItem", (input: Ref<Count>) => ({
      all: collect(
        loop(
          "count",
          {},
          {
            n: each(
              derive(input.n, (n) => [n, n + 1]),
              { name: "numbers" },
            ),
          },
          (state) => {
            const next = add({ n: state.n });
            return { next: { n: next.n }, until: derive(next.n, overTen) };
          },
        ),
      ),
    }));
    expect(openings(perItem as Flow)).toEqual([false]);
  });
});

/** The edge behind `until` is impure, which is a mistake: what was decided by it stands all the same. */
describe("a choice that was made is not made again on the short way", () => {
  const limit = { at: 3 };
  const fetchName = op("fetchName", async ({ n }: Count) => ({ name: `n${n}` }));
  const counted = graph("counted", (input: Ref<Count>) => {
    const { name } = fetchName({ n: input.n });
    const ended = loop("count", { max: 50 }, { n: input.n }, (state) => {
      const next = add({ n: state.n });
      return { next: { n: next.n }, until: derive(next.n, (n) => n >= limit.at) };
    });
    const said = interrupt("ask", { n: ended.n }, { answer: z.object({ word: z.string() }) });
    return { n: ended.n, name, word: said.word };
  });

  test.each([
    ["a loop that would go on", 3, 1_000],
    ["a loop that would end earlier", 7, 2],
  ])("when another engine goes on with the run, for %s", async (_, before, after) => {
    const backend = memory();
    limit.at = before;
    const first = await open({ backend, graphs: [counted] });
    expect((await (await first.start(counted, { n: 0 }, { id: "run" })).result()).status).toBe("interrupted");
    await first.close();
    limit.at = after;
    const second = await open({ backend, graphs: [counted], check: checkInvariants });
    const answered = await second.answer("run", "ask", { word: "yes" });
    expect(await answered.output()).toEqual({ n: before, name: "n0", word: "yes" });
  });

  test.each([
    ["a loop that would go on", 3, 1_000],
    ["a loop that would end earlier", 7, 2],
  ])("when a fork keeps it, for %s", async (_, before, after) => {
    const engine = await open({ backend: memory(), graphs: [counted], check: checkInvariants });
    limit.at = before;
    await (await engine.start(counted, { n: 0 }, { id: "run" })).result();
    await (await engine.answer("run", "ask", { word: "yes" })).output();
    limit.at = after;
    const fork = await engine.fork("run", { patch: { outputs: { "counted/fetchName": { name: "patched" } } } });
    expect(await fork.output()).toEqual({ n: before, name: "patched", word: "yes" });
  });
});
