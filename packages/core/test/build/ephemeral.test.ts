import { expect, test } from "vitest";
import { z } from "zod";
import {
  add,
  cell,
  collect,
  derive,
  each,
  emit,
  fallback,
  filter,
  final,
  graph,
  interrupt,
  loop,
  op,
  push,
  race,
  reduce,
  sleep,
  sweep,
  text,
  when,
  zip,
  type Ref,
} from "../../src/index.ts";

const tokens = op("tokens", { onResume: "ephemeral" }, async function* ({ n }: { n: number }) {
  for (let i = 0; i < n; i++) yield { n: i, on: i > 0, list: [i] };
});
const others = op("others", async function* ({ n }: { n: number }) {
  for (let i = 0; i < n; i++) yield { n: i };
});
const pure = op("pure", { effect: "pure" }, ({ n }: { n: number }) => ({ n }));
const save = op("save", async ({ n }: { n: number }) => ({ n }));
type Input = Ref<{ n: number }>;

test.each<[string, (input: Input) => unknown]>([
  ["an op", (input) => ({ n: collect(pure({ n: tokens({ n: input.n }).n }).n) })],
  [
    "edges",
    (input) => {
      const { n, on, list } = tokens({ n: input.n });
      const said = text`${n} is said`;
      return {
        kept: collect(
          filter(
            derive(n, (x) => x + 1),
            on,
          ),
        ),
        said: collect(said),
        lists: collect(list),
      };
    },
  ],
  ["emit, in order too", (input) => void emit("n", tokens({ n: input.n }).n, { ordered: true })],
  [
    "reduce and what it returned",
    (input) => {
      const gen = tokens({ n: input.n });
      return { sum: reduce("sum", gen.n, 0, (a: number, b: number) => a + b), all: final(gen as never) };
    },
  ],
  ["a stream in its items", (input) => ({ all: collect(collect(pure({ n: each(tokens({ n: input.n }).list) }).n)) })],
  [
    "choices, loops, races and fallbacks of pure ops",
    (input) => {
      const { n, on } = tokens({ n: input.n });
      const chosen = when(
        "maybe",
        on,
        () => ({ n: pure({ n }).n }),
        () => ({ n }),
      );
      const looped = loop("turns", { max: 3 }, { n: chosen.n }, (state) => {
        const next = pure({ n: state.n });
        return { next: { n: next.n }, until: derive(next.n, (x) => x > 2), result: { n: next.n } };
      });
      const safe = fallback(
        "safe",
        () => ({ n: pure({ n: looped.n }).n }),
        () => ({ n: 0 }),
      );
      const won = race("won", { a: () => ({ n: pure({ n: safe.n }).n }), b: () => ({ n: pure({ n }).n }) });
      return { all: collect(won.n) };
    },
  ],
  [
    "a subgraph of pure ops",
    (input) => {
      const inner = graph("inner", (given: Input) => ({ n: pure({ n: given.n }).n }));
      return { all: collect(inner({ n: tokens({ n: input.n }).n }).n) };
    },
  ],
  ["an output", (input) => tokens({ n: input.n }).n],
  [
    "anything, once it is collected",
    (input) => ({ n: collect(save({ n: each(collect(tokens({ n: input.n }).n), { name: "again" }) }).n) }),
  ],
])("items of an ephemeral generator may go to %s", (_name, body) => {
  expect(() => graph("g", body as never)).not.toThrow();
});

const why = /takes? items of .*tokens, whose onResume is "ephemeral"/;

test.each<[string, RegExp, (input: Input) => unknown]>([
  [
    "an op that is not pure",
    /^"save" is not declared pure/,
    (input) => ({ n: save({ n: tokens({ n: input.n }).n }).n }),
  ],
  [
    "one behind an edge",
    /^"save" is not declared pure/,
    (input) => ({ n: save({ n: derive(tokens({ n: input.n }).n, (n) => n) }).n }),
  ],
  [
    "one behind a pure op, and in a stream in the items",
    /^"save" is not declared pure/,
    (input) => {
      const { list } = tokens({ n: input.n });
      return { n: collect(collect(save({ n: pure({ n: each(list) }).n }).n)) };
    },
  ],
  [
    "one in a subgraph",
    /^"inner\/save" is not declared pure/,
    (input) => {
      const inner = graph("inner", (given: Input) => ({ n: save({ n: given.n }).n }));
      return { n: collect(inner({ n: tokens({ n: input.n }).n }).n) };
    },
  ],
  [
    "one in an arm",
    /^"maybe\/then\/save" is not declared pure/,
    (input) => {
      const { n, on } = tokens({ n: input.n });
      return {
        n: collect(
          when(
            "maybe",
            on,
            () => ({ n: save({ n }).n }),
            () => ({ n }),
          ).n,
        ),
      };
    },
  ],
  [
    "one in a loop",
    /^"turns\/save" is not declared pure/,
    (input) => {
      const { n } = tokens({ n: input.n });
      const looped = loop("turns", { max: 3 }, { n }, (state) => {
        const next = save({ n: state.n });
        return { next: { n: next.n }, until: derive(next.n, (x) => x > 2), result: { n: next.n } };
      });
      return { n: collect(looped.n) };
    },
  ],
  [
    "one after the items, in their scope",
    /^"save" is not declared pure/,
    (input) => {
      const { n } = tokens({ n: input.n });
      return { n: collect(save({ n: derive([n, input.n], ([a, b]) => a + b) }).n) };
    },
  ],
  [
    "a cell",
    /pushes into a cell/,
    (input) => {
      const total = cell("total", add());
      push(total, tokens({ n: input.n }).n);
      return {};
    },
  ],
  [
    "a question",
    /^"ask" asks the outside/,
    (input) => ({
      ok: collect(interrupt("ask", { n: tokens({ n: input.n }).n }, { answer: z.object({ ok: z.boolean() }) }).ok),
    }),
  ],
  [
    "a timer",
    /^"wait" waits for a time/,
    (input) => {
      sleep("wait", tokens({ n: input.n }).n);
      return {};
    },
  ],
  [
    "a sweep",
    /^"stop" sweeps/,
    (input) => {
      const { n, on } = tokens({ n: input.n });
      sweep("stop", { on, cancel: [n] });
      return {};
    },
  ],
  [
    "a zip",
    /pairs them with others/,
    (input) => {
      const pair = zip({ a: tokens({ n: input.n }).n, b: others({ n: input.n }).n }, { name: "pairs" });
      return { all: collect(pair.a) };
    },
  ],
  [
    "the outside of a block",
    /lets them leave a block/,
    (input) => {
      const chosen = when(
        "maybe",
        derive(input.n, (n) => n > 1),
        () => ({ n: tokens({ n: input.n }).n }),
        () => ({ n: others({ n: input.n }).n }),
      );
      return { n: collect(chosen.n as never) };
    },
  ],
])("items of an ephemeral generator may not go to %s, and the build says which node", (_name, what, body) => {
  let thrown: unknown;
  try {
    graph("g", body as never);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: "BuildError", reason: "Ephemeral" });
  expect((thrown as Error).message).toMatch(what);
  expect((thrown as Error).message).toMatch(why);
  expect((thrown as Error).message).toContain('declare effect: "pure", collect or reduce them first');
});
