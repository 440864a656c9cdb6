import { expect, test } from "vitest";
import { collect, fallback, graph, op, type Ref } from "../../src/index.ts";
import { checkInvariants } from "../../src/state/invariants.ts";
import { open } from "../acceptance/support/engines.ts";
import { eventually, gate } from "../acceptance/support/gate.ts";

// A body that broke off kept the items open in which an unsafe op ran. What these had left went out, what others had left
// before them did not: the reader saw a gap. And an item was counted closed while it was on its way.
test("behind items of a broken body that did not go out, no later ones do", async () => {
  const release = gate();
  const charged: number[] = [];
  const taken = gate();
  const list = op("list", async function* (_input: { from: number }) {
    for (let n = 0; n < 4; n++) yield { n };
  });
  const charge = op("charge", { effect: "unsafe" }, async ({ n }: { n: number }) => {
    charged.push(n);
    if (n > 1) await release.opened;
    return { n };
  });
  const breaks = op("breaks", async (): Promise<{ ok: boolean }> => {
    await eventually("all are charged", () => charged.length === 4);
    throw new Error("broken");
  });
  const take = op("take", async ({ n }: { n: number }) => {
    await taken.opened;
    return { n };
  });
  const g = graph("g", (input: Ref<{ from: number }>) => {
    const f = fallback(
      "f",
      () => {
        const { n } = list({ from: input.from });
        charge({ n }, { parallel: 4 });
        breaks();
        return { n };
      },
      () => ({ n: list({ from: 0 }, { name: "other" }).n }),
    );
    return { all: collect(take({ n: f.n }, { buffer: 1 }).n, { errors: "settle" }) };
  });
  const engine = await open({ check: checkInvariants });
  const handle = await engine.start(g, { from: 0 });
  await eventually("all are charged", () => charged.length === 4);
  for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
  release.open();
  taken.open();
  const result = await handle.result();
  expect(result).toMatchObject({
    status: "completed",
    output: {
      all: [
        { ok: true, value: 0 },
        { ok: false, error: { node: "f" } },
      ],
    },
  });
});
