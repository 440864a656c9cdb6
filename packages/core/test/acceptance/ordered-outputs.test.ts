/** `ordered` where there is no body: pushes, emissions and live outputs in the order in which the items were made. */
import { expect, test } from "vitest";
import {
  append,
  cell,
  collect,
  derive,
  each,
  egress,
  emit,
  filter,
  graph,
  last,
  loop,
  op,
  overwrite,
  push,
  read,
  when,
  type Ref,
} from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { crashEverywhere, open } from "./support/engines.ts";

const check = { check: checkInvariants };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The later the item, the sooner it is through; the one that says so fails. */
const backwards = op("backwards", async ({ n }: { n: number }) => {
  for (let i = n; i < 6; i++) await turn();
  if (n === 2) throw new Error("two");
  return { n };
});

const pushing = (ordered: boolean) =>
  graph("pushing", (input: Ref<{ xs: number[] }>) => {
    const log = cell("log", append<number>());
    const { n } = backwards({ n: each(input.xs) }, { parallel: 6 });
    const odd = filter(
      n,
      derive(n, (v) => v !== 3),
    );
    const pushed = push(log, odd, { ordered });
    return { log: read(log, { after: [pushed] }), all: collect(n, { errors: "skip" }) };
  });

test("an ordered push folds in yield order, past items that failed or are absent; after a crash at every record too", async () => {
  await crashEverywhere(
    pushing(true),
    { xs: [0, 1, 2, 3, 4, 5] },
    ({ cut, result }) =>
      expect({ cut, result }).toMatchObject({
        cut,
        result: { status: "completed", output: { log: [0, 1, 4, 5], all: [0, 1, 3, 4, 5] } },
      }),
    check,
  );
  const asTheyCome = await (await open(check)).run(pushing(false), { xs: [0, 1, 2, 3, 4, 5] });
  expect(asTheyCome.log).toEqual([5, 4, 1, 0]);
});

test("an ordered push into a cell that keeps the last update is as good as any order; others are refused", async () => {
  const g = graph("lasting", (input: Ref<{ xs: number[] }>) => {
    const kept = cell("kept", last(0));
    const pushed = push(kept, backwards({ n: each(input.xs) }, { parallel: 6 }).n, { ordered: true });
    return { kept: read(kept, { after: [pushed] }) };
  });
  expect(await (await open(check)).run(g, { xs: [0, 1, 3, 4, 5] })).toEqual({ kept: 5 });
  const refused = (body: (xs: Ref<number[]>, go: Ref<boolean>) => Ref<undefined, never>): (() => unknown) => {
    return () =>
      graph("refused", (input: Ref<{ xs: number[]; go: boolean }>) => ({
        p: collect(body(input.xs, input.go) as never),
      }));
  };
  const kept = cell("kept", last(0));
  expect(refused((xs) => push(kept, each(xs)) as never)).toThrow(/in no fixed order/);
  // Of two streams in one another, the items of two outer ones have no order.
  expect(
    refused(
      (xs) =>
        push(
          kept,
          each(
            derive(each(xs), (n) => [n]),
            { name: "in" },
          ),
          { ordered: true },
        ) as never,
    ),
  ).toThrow(/in no fixed order/);
  // What leaves a block comes in the order it arrives.
  expect(
    refused((xs, go) => {
      const w = when("w", go, () => each(xs));
      return push(kept, derive(w, Number), { ordered: true }) as never;
    }),
  ).toThrow(/in no fixed order/);
  // An item pushes again in every iteration.
  expect(
    refused((xs) => {
      const x = each(xs);
      return loop("l", {}, { x }, (s) => {
        push(kept, s.x, { ordered: true });
        return { next: { x: derive(s.x, (n) => n - 1) }, until: derive(s.x, (n) => n <= 0) };
      }).x as never;
    }),
  ).toThrow(/in no fixed order|runs once/);
});

test("overwrites of a stream's items have their order too", async () => {
  const g = graph("overwriting", (input: Ref<{ xs: number[] }>) => {
    const log = cell("log", append<number>());
    const { n } = backwards({ n: each(input.xs) }, { parallel: 6 });
    const pushed = push(log, overwrite(derive(n, (v) => [v])), { ordered: true });
    return { log: read(log, { after: [pushed] }) };
  });
  expect(await (await open(check)).run(g, { xs: [0, 1, 5, 4, 3] })).toEqual({ log: [3] });
});

test("ordered emissions and live outputs come in yield order, also out of a block that some items enter", async () => {
  const g = graph("emitting", (input: Ref<{ xs: number[] }>) => {
    const { n } = backwards({ n: each(input.xs) }, { parallel: 6 });
    emit("said", n, { ordered: true });
    egress("speaker", n, { ordered: true });
    const inBlock = when(
      "even",
      derive(n, (v) => v % 2 === 0),
      () => {
        emit("evens", n, { ordered: true });
        return { n };
      },
    );
    return { all: collect(inBlock.n, { errors: "skip" }) };
  });
  const engine = await open(check);
  const handle = await engine.start(g, { xs: [0, 1, 2, 3, 4, 5] });
  const said: Record<string, unknown[]> = {};
  for await (const event of handle.stream("custom")) (said[event.node] ??= []).push(event.value);
  await handle.result();
  expect(said).toEqual({ said: [0, 1, 3, 4, 5], speaker: [0, 1, 3, 4, 5], "even/then/evens": [0, 4] });
});

test("ordered where nothing is per item is refused with the reason", () => {
  expect(() =>
    graph("once", (input: Ref<{ n: number }>) => {
      emit("once", input.n, { ordered: true } as never);
      return input.n;
    }),
  ).toThrow(/ordered of emit once is set, but the call runs once/);
  const log = cell("log", append<number>());
  expect(() => graph("once", (input: Ref<{ n: number }>) => push(log, input.n, { ordered: true } as never))).toThrow(
    /ordered of push\(\) into log is set, but the call runs once/,
  );
  expect(() =>
    graph("parallel", (input: Ref<{ xs: number[] }>) => push(log, each(input.xs), { parallel: 2 } as never)),
  ).toThrow(/push\(\) into log has no option "parallel"/);
});
