/**
 * Runs a stream of argv[4] items of argv[5] milliseconds each on the database argv[2], with one line per body in the
 * file argv[3]. SIGTERM drains it. Prints `item k `, and `status …` at its end. With `resume` as argv[6] it continues
 * what it finds.
 */
import { appendFileSync } from "node:fs";
import { collect, derive, graph, op, openEngine, reduce, type Graph, type Ref } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

export function countUp(
  effects: string,
  ms: number,
  said: (text: string) => void,
): Graph<{ n: number }, { total: number; items: number }> {
  const numbers = op("numbers", async function* ({ n }: { n: number }) {
    for (let k = 0; k < n; k++) yield { k };
  });
  const work = op("work", async ({ k }: { k: number }, ctx) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    appendFileSync(effects, `${ctx.path} ${ctx.idempotencyKey}\n`);
    said(`item ${k} \n`);
    return { k };
  });
  return graph("countUp", (input: Ref<{ n: number }>) => {
    const w = work({ k: numbers({ n: input.n }).k }, { parallel: 3, buffer: 8 });
    return { total: reduce("total", w.k, 0, (sum, k) => sum + k), items: derive(collect(w.k), (all) => all.length) };
  });
}

if (process.argv[1]?.endsWith("count-up.ts") === true) {
  const [, , file = "", effects = "", n = "0", ms = "0", mode = "start"] = process.argv;
  const flow = countUp(effects, Number(ms), (text) => process.stdout.write(text));
  const engine = await openEngine({ backend: sqlite(file), graphs: [flow] });
  const handle =
    mode === "resume"
      ? (engine.recovered[0] ?? (await engine.resume("run")))
      : await engine.start(flow, { n: Number(n) }, { id: "run" });
  process.on("SIGTERM", () => void handle.drain());
  const result = await handle.result();
  process.stdout.write(`status ${result.status}\n`);
  process.stdout.write(`result ${JSON.stringify(result)}\n`);
  await engine.close();
}
