import { expect, test } from "vitest";
import { fallback, graph, op, race, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const refuse = op("refuse", async ({ n }: { n: number }): Promise<{ n: number }> => {
  throw new Error(`not ${n}`);
});
const slowly = op("slowly", async ({ n }: { n: number }) => {
  await new Promise((done) => setTimeout(done, 5));
  return { n };
});
const mend = op("mend", async () => ({ n: -1 }));

test("an arm that loses its race does not end the fallback around it; a race without a winner does", async () => {
  const won = graph("won", (input: Ref<{ n: number }>) =>
    fallback(
      "f",
      () => race("first", { quick: () => refuse({ n: input.n }), slow: () => slowly({ n: input.n }) }),
      () => mend(),
    ),
  );
  const lost = graph("lost", (input: Ref<{ n: number }>) =>
    fallback(
      "f",
      () => race("first", { a: () => refuse({ n: input.n }), b: () => refuse({ n: input.n }) }),
      () => mend(),
    ),
  );
  const engine = await open({ check: checkInvariants });
  expect(await engine.run(won, { n: 3 })).toEqual({ n: 3 });
  expect(await engine.run(lost, { n: 3 })).toEqual({ n: -1 });
});
