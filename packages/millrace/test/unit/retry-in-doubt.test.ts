/** An unsafe body that was cut off may have had its effect: `retry` ran it again, which nobody had asked for by name. */
import { collect, graph, memory, op, openEngine, type Engine, type Ref, type Runnable } from "@millrace/core";
import { expect, test } from "vitest";

import { beginRetry, type RetryRequest } from "../../src/cli/runs/begin-retry.ts";

let begun = 0;
let hangs = true;
let works = false;
const charge = op("charge", { effect: "unsafe" }, async function* ({ n }: { n: number }) {
  begun++;
  yield { n };
  if (hangs) await new Promise(() => undefined);
});
const other = op("other", async () => {
  if (!works) throw new Error("not yet");
  return { ok: true };
});
const pay = graph("pay", (input: Ref<{ n: number }>) => ({ all: collect(charge({ n: input.n }).n) }));
const both = graph("both", (input: Ref<{ n: number }>) => ({
  all: collect(charge({ n: input.n }).n, { errors: "settle" }),
  ok: other({}).ok,
}));

/** Ended, with a charge of which nobody knows what became of it. */
async function cutOff(flow: Runnable<{ n: number }, unknown>): Promise<Engine> {
  begun = 0;
  hangs = true;
  const store = memory();
  const dying = await openEngine({ backend: store, warn: () => undefined });
  const handle = await dying.start(flow, { n: 7 }, { id: "run" });
  handle.result().catch(() => undefined);
  await expect.poll(async () => (await dying.get("run"))?.lastSeq ?? 0, { timeout: 20_000 }).toBeGreaterThan(2);
  await store.abandon();
  const engine = await openEngine({ backend: store.another(), graphs: [flow], warn: () => undefined });
  expect((await engine.recovered[0]?.result())?.status).toBe("failed");
  expect(begun).toBe(1);
  return engine;
}

const request = (name: string): RetryRequest =>
  ({ cli: { invokedAs: "millrace" }, runId: "run", graph: name, quiet: true, handled: false, marks: {} }) as never;

test("H49 what may have had its effect is done again only by name, and retry says how", async () => {
  await using engine = await cutOff(pay);
  await expect(beginRetry(request("pay"), engine)).rejects.toMatchObject({
    code: "NothingToRetry",
    message: "what failed in run run may have had its effect: pay/charge",
    hint: "if you know that it had none, millrace fork --rerun pay/charge does it again",
  });
  expect(begun).toBe(1);
});

test("H49 what failed beside it is done again, and it is not", async () => {
  await using engine = await cutOff(both);
  works = true;
  await beginRetry(request("both"), engine);
  await expect
    .poll(async () => (await engine.list()).map(({ status }) => status), { timeout: 20_000 })
    .toEqual(["completed", "failed"]);
  expect(begun).toBe(1);
});
