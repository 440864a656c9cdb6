/** What stands in an edge or a reducer is not in the fingerprint: whoever corrects it while runs wait does not lose them. */
import { expect, test } from "vitest";
import { z } from "zod";
import { cell, derive, graph, interrupt, memory, op, push, read, type Reducer, type Ref } from "../../src/index.ts";
import { open } from "./support/engines.ts";

const ran: number[] = [];
const price = op("price", async ({ n }: { n: number }) => {
  ran.push(n);
  return { cents: n };
});
const tell = op("tell", ({ text }: { text: string }) => ({ text }));

/** Version 1 forgets the currency, and doubles what it sums up. */
function version(edge: (cents: number) => string, sum: Reducer<number, number>) {
  return graph("basket", (input: Ref<{ n: number }>) => {
    const { cents } = price({ n: input.n });
    const total = cell("total", sum);
    const pushed = push(total, cents);
    const text = tell({ text: derive(cents, edge) }).text;
    const ok = interrupt("ok", { text }, { answer: z.boolean() });
    return { ok, text: derive([cents, ok] as const, ([c]) => edge(c)), total: read(total, { after: [pushed, ok] }) };
  });
}

const sum = (times: number): Reducer<number, number> => ({ init: 0, reduce: (a, b) => a + b * times });

test("R27 H35 a run that waits goes on with a corrected derive and a corrected reducer, and finished bodies stand", async () => {
  const store = memory();
  const old = version((cents) => `${cents}`, sum(2));
  const corrected = version((cents) => `${cents} ct`, sum(1));
  const first = await open({ backend: store, graphs: [old] });
  expect((await (await first.start(old, { n: 7 }, { id: "run" })).result()).status).toBe("interrupted");
  await first.close();
  const next = await open({ backend: store.another(), graphs: [corrected] });
  const handle = await next.answer("run", "ok", true);
  expect(await handle.output()).toEqual({ ok: true, text: "7 ct", total: 7 });
  expect(ran).toEqual([7]);
});
