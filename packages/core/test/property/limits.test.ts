import * as fc from "fast-check";
import { expect, test } from "vitest";
import { collect, each, graph, op, provide, resource, type Ref } from "../../src/index.ts";
import { VirtualClock } from "../acceptance/support/clock.ts";
import { open } from "../acceptance/support/engines.ts";

const tokens = ["a", "b", "c"].map((name) => resource<string>(name));

const limits = fc.record({
  concurrency: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  perSecond: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});
const opCase = fc.record({
  needs: fc.subarray([0, 1, 2]),
  lasts: fc.integer({ min: 0, max: 40 }),
  /** Every so many-th attempt fails; 0: none. */
  failsEvery: fc.integer({ min: 0, max: 3 }),
  timeout: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  total: fc.option(fc.integer({ min: 50, max: 3_000 }), { nil: undefined }),
  generator: fc.boolean(),
});
const cases = fc.record({
  limits: fc.tuple(limits, limits, limits),
  ops: fc.array(opCase, { minLength: 1, maxLength: 4 }),
  items: fc.integer({ min: 1, max: 6 }),
  runConcurrency: fc.integer({ min: 1, max: 4 }),
  concurrency: fc.integer({ min: 1, max: 4 }),
  /** When the second of two runs is cancelled, in milliseconds; 0: it is not. */
  cancelAt: fc.integer({ min: 0, max: 500 }),
});
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

/** Who uses each resource, and when bodies that do started. */
function watch(clock: VirtualClock) {
  const active = [0, 0, 0];
  const most = [0, 0, 0];
  const starts: number[][] = [[], [], []];
  const inside = async (needs: readonly number[], ms: number): Promise<void> => {
    for (const i of needs) most[i] = Math.max(most[i] ?? 0, ++active[i]!);
    await clock.sleep(ms);
    for (const i of needs) active[i]!--;
  };
  return { active, most, starts, inside };
}

/** Per item every op once, each behind nothing, so that all of them want their resources together. */
function graphOf(clock: VirtualClock, { ops }: Case, { starts, inside }: ReturnType<typeof watch>) {
  let attempts = 0;
  const work = async ({ needs, lasts, failsEvery }: Case["ops"][number]): Promise<void> => {
    for (const i of needs) starts[i]!.push(clock.elapsed);
    await inside(needs, lasts);
    if (failsEvery > 0 && ++attempts % failsEvery === 0) throw new Error("again");
  };
  return graph("flow", (input: Ref<{ xs: number[] }>) =>
    ops.map((spec, k) => {
      const options = {
        needs: Object.fromEntries(spec.needs.map((i) => [`r${i}`, tokens[i]!])),
        retry: { attempts: 2, initial: 5, jitter: "none", on: () => true } as const,
        timeout: { run: spec.timeout ?? "1h", total: spec.total ?? "1h" },
      } as const;
      const x = each(input.xs);
      if (!spec.generator) {
        const single = op(`op${k}`, options, async (_input: { x: number }) => {
          await work(spec);
          return { k };
        });
        return collect(single({ x }, { parallel: 3 }).k, { errors: "skip" });
      }
      const many = op(`op${k}`, options, async function* (_input: { x: number }) {
        await work(spec);
        yield { k };
        await inside(spec.needs, spec.lasts);
        yield { k };
      });
      const use = op(`use${k}`, options, async (_input: { k: number }) => {
        await work(spec);
        return { k };
      });
      return collect(collect(use({ k: many({ x }, { parallel: 3 }).k }, { buffer: 1 }).k, { errors: "skip" }), {
        errors: "skip",
      });
    }),
  );
}

test("R19 H60 L1 L2 P3 whatever ops need and limits say: no limit is exceeded, every run ends, nothing is left behind", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const clock = new VirtualClock();
      const seen = watch(clock);
      const engine = await open({
        clock,
        runConcurrency: given.runConcurrency,
        concurrency: given.concurrency,
        resources: tokens.map((token, i) => {
          const { concurrency, perSecond } = given.limits[i]!;
          const rate = perSecond === undefined ? {} : { rate: { perSecond } };
          return provide(token, token.name, {
            limits: { ...(concurrency === undefined ? {} : { concurrency }), ...rate },
          });
        }),
      });
      const flow = graphOf(clock, given, seen);
      const xs = Array.from({ length: given.items }, (_, i) => i);
      const first = await engine.start(flow, { xs });
      const second = await engine.start(flow, { xs });
      if (given.cancelAt > 0) clock.timer(given.cancelAt, () => void second.cancel());
      await clock.until(Promise.all([first.result(), second.result()]));
      given.limits.forEach(({ concurrency, perSecond }, i) => {
        expect(seen.most[i]).toBeLessThanOrEqual(concurrency ?? Infinity);
        for (const from of seen.starts[i]!)
          expect(seen.starts[i]!.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(
            perSecond ?? Infinity,
          );
      });
      // Bodies that timed out or were cancelled settle; then nobody holds or waits for anything.
      await clock.advance(10_000);
      expect(seen.active).toEqual([0, 0, 0]);
      expect(clock.armed).toBe(0);
      await engine.close();
    }),
    { numRuns: 150 },
  );
}, 60_000);
