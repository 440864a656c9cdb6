import { collect, each, graph, op, openEngine, type Ref } from "../../src/index.ts";
import { Dice } from "../../src/testing/dice.ts";
import type { ServerHarness } from "./harness.ts";
import { pause } from "./runs.ts";
import type { CrashingServer } from "./server-crash.ts";

export interface RestartsReport {
  readonly restarts: number;
  readonly runs: number;
  readonly bodies: number;
  /** So many has each run. */
  readonly bodiesEach: number;
  /** By idempotency key, those that began more than once. */
  readonly again: readonly string[];
  /** Runs whose outcome was another than it had to be. */
  readonly wrong: readonly string[];
  /** Rows of the store that are not completed. */
  readonly unfinished: readonly string[];
}

/**
 * A server that crashes under load again and again, every half a second to three seconds: at once, and in one of three times it
 * stays away for up to a second. Two engines work on it, so that each could take what the other one lost.
 */
export async function playRestarts(
  harness: ServerHarness,
  server: CrashingServer,
  { ms, seed }: { readonly ms: number; readonly seed: number },
): Promise<RestartsReport> {
  const dice = new Dice(seed);
  const place = harness.fresh();
  const calls = new Map<string, number>();
  const step = op("step", async ({ x }: { x: number }, ctx) => {
    calls.set(ctx.idempotencyKey, (calls.get(ctx.idempotencyKey) ?? 0) + 1);
    await pause(10);
    return { x: x + 1 };
  });
  const work = graph("work", (input: Ref<{ xs: number[] }>) => ({
    all: collect(step({ x: step({ x: each(input.xs) }, { name: "first" }).x }, { name: "second" }).x),
  }));
  const open = (): ReturnType<typeof openEngine> =>
    openEngine({ backend: harness.backend(server.url, place, { lease: "15s" }) });
  const engines = [await open(), await open()];
  const xs = Array.from({ length: 15 }, (_, i) => i);
  const due = JSON.stringify({ all: xs.map((x) => x + 2) });
  const until = performance.now() + ms;
  const wrong: string[] = [];
  let runs = 0;
  let restarts = 0;
  const working = Array.from({ length: 8 }, async (_, i) => {
    while (performance.now() < until) {
      // Told at the end, with all others: nobody waits for this promise before.
      const got = await engines[i % 2]?.run(work, { xs }).then((output) => JSON.stringify(output), String);
      if (got !== due) wrong.push(String(got));
      runs++;
    }
  });
  for (; performance.now() < until; restarts++) {
    await pause(500 + dice.below(2_500));
    await server.restart(dice.chance(1 / 3) ? dice.below(1_000) : 0);
  }
  await Promise.all(working);
  const again = [...calls].flatMap(([key, times]) => (times > 1 ? [`${key}: ${times} times`] : []));
  const stored = await engines[0]?.list({ limit: runs + 1 });
  const unfinished = (stored ?? []).flatMap(({ id, status }) => (status === "completed" ? [] : [`${id} is ${status}`]));
  for (const engine of engines) await engine.close();
  return { restarts, runs, bodies: calls.size, bodiesEach: xs.length * 2, again, wrong, unfinished };
}
