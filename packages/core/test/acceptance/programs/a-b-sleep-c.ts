/**
 * A workflow on the database argv[2]: A, B, a sleep and C, one line `name key` per body in the file argv[3]. argv[4] is `hang`: C
 * never returns; `swapped`: the body calls B before A; else `go`. Starts the run, or continues the one it finds; says when its
 * timer is set, and prints `result …`.
 */
import { appendFileSync } from "node:fs";
import { op, openEngine, workflow } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", effects = "", mode = ""] = process.argv;

function letter(name: string, hangs = false) {
  return op(name, async ({ from }: { from: string }, ctx) => {
    appendFileSync(effects, `${name} ${ctx.idempotencyKey}\n`);
    process.stdout.write(`${name} began\n`);
    if (hangs) await new Promise((resolve) => setTimeout(resolve, 60_000));
    return { text: `${name.toLowerCase()}(${from})` };
  });
}

const [a, b, c] = [letter("A"), letter("B"), letter("C", mode === "hang")];
const flow = workflow("flow", { uses: [a, b, c] }, async (w, { from }: { from: string }) => {
  const [first, second] = mode === "swapped" ? [b, a] : [a, b];
  const one = await w.run(first, { from });
  const two = await w.run(second, { from: one.text });
  await w.sleep("400ms");
  return { c: (await w.run(c, { from: two.text })).text };
});

const engine = await openEngine({ backend: sqlite(file), graphs: [flow] });
const handle = engine.recovered[0] ?? (await engine.start(flow, { from: "1" }));
let timers = 0;
while (timers === 0) {
  for await (const { kind } of engine.history(handle.runId)) timers += kind === "timerSet" ? 1 : 0;
  await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write("timer is set\n");
const result = await handle.result();
timers = 0;
for await (const { kind } of engine.history(handle.runId)) timers += kind === "timerSet" ? 1 : 0;
process.stdout.write(`result ${JSON.stringify({ ...result, timers })}\n`);
await engine.close();
