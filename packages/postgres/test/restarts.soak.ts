/** A server that crashes under load again and again, every few hundred milliseconds (`pg_ctl restart -m immediate`). */
import { collect, each, graph, op, openEngine, type Ref } from "@millrace/core";
import { postgres } from "@millrace/postgres";
import { expect, test } from "vitest";

import { pause } from "../../core/test/servers/runs.ts";
import { startServer } from "./support/server.ts";
import { freshSchema } from "./support/store.ts";

const restarts = Number(process.env["MILLRACE_RESTARTS"] ?? 20);

test(`H16 H20 ${restarts} crashes of the server under load: every run completes, no body runs twice`, async () => {
  const server = await startServer();
  const calls = new Map<string, number>();
  const step = op("step", async ({ x }: { x: number }, ctx) => {
    calls.set(ctx.idempotencyKey, (calls.get(ctx.idempotencyKey) ?? 0) + 1);
    await pause(10);
    return { x: x + 1 };
  });
  const work = graph("work", (input: Ref<{ xs: number[] }>) => ({
    all: collect(step({ x: step({ x: each(input.xs) }, { name: "first" }).x }, { name: "second" }).x),
  }));
  const engine = await openEngine({ backend: postgres(server.url, { schema: freshSchema(), lease: "15s" }) });
  const xs = Array.from({ length: 15 }, (_, i) => i);
  const state = { isOver: false, runs: 0 };
  const working = Array.from({ length: 8 }, async () => {
    while (!state.isOver) {
      expect(await engine.run(work, { xs })).toEqual({ all: xs.map((x) => x + 2) });
      state.runs++;
    }
  });
  for (let i = 0; i < restarts; i++) {
    await pause(300 + Math.random() * 700);
    await server.restart(i % 3 === 0 ? 300 : 0);
  }
  state.isOver = true;
  await Promise.all(working);
  console.log(`restarts: ${restarts} of the server, ${state.runs} runs, ${calls.size} bodies`);
  expect(calls.size).toBe(state.runs * xs.length * 2);
  expect([...calls.values()].filter((count) => count > 1)).toEqual([]);
  await engine.close();
  await server.stop();
});
