import { expect, test } from "vitest";
import { graph, op, race, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";

const refuse = op("refuse", async ({ n }: { n: number }): Promise<{ n: number }> => {
  throw new Error(`not ${n}`);
});
const give = op("give", async ({ n }: { n: number }) => ({ n }));
const racing = graph("racing", (input: Ref<{ n: number }>) => {
  const won = race("fastest", { a: () => give({ n: input.n }), b: () => give({ n: input.n }) });
  return { n: give({ n: input.n }, { after: [won] }).n };
});

test("who waits for a race that is skipped is skipped, and nothing stalls", async () => {
  const g = graph("g", (input: Ref<{ n: number }>) => {
    const first = refuse({ n: input.n });
    return { n: racing({ n: input.n }, { after: [first] }).n };
  });
  const engine = await open({ check: checkInvariants });
  const { status, errors } = await (await engine.start(g, { n: 1 })).result();
  expect(status).toBe("failed");
  expect(errors.map(({ node, code }) => [node, code])).toEqual([
    ["refuse", "Failed"],
    ["racing", "SubgraphFailed"],
  ]);
});
