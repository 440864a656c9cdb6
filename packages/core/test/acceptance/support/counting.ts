import { collect, derive, graph, loop, op, type Ref } from "../../../src/index.ts";

/** What the counter waits for before each item; a test, or a program, says so. */
export const pace: { wait: (n: number) => Promise<void> } = { wait: () => Promise.resolve() };

const count = op("count", async function* ({ to }: { to: number }) {
  for (let n = 1; n <= to; n++) {
    await pace.wait(n);
    yield { n };
  }
});
const double = op("double", async ({ n }: { n: number }) => ({ twice: 2 * n }));

const step = op("step", async ({ n }: { n: number }) => {
  await pace.wait(n + 1);
  return { n: n + 1 };
});

/** Iterations, one after the other. */
export const turning = graph("turning", (input: Ref<{ to: number }>) =>
  loop("turns", { max: 1_000 }, { n: 0 }, (state) => {
    const { n } = step({ n: state.n });
    return { next: { n }, until: derive([n, input.to] as const, ([now, to]) => now >= to) };
  }),
);

/** Items of a stream, one after the other; each is doubled. */
export const counting = graph("counting", (input: Ref<{ to: number }>) => {
  const { n } = count({ to: input.to });
  const { twice } = double({ n });
  return { twice, all: collect(n) };
});
