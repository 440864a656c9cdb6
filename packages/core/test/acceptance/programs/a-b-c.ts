/**
 * A, B and C in a row on the database argv[2], one line `name key` per body in the file argv[3]. With `hang` as argv[4]
 * C never returns. Starts the run, or continues the one it finds; prints `result …`.
 */
import { appendFileSync } from "node:fs";
import { graph, op, openEngine, type Ref } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", effects = "", mode = ""] = process.argv;

function letter(name: string, hangs: boolean) {
  return op(name, async ({ from }: { from: string }, ctx) => {
    appendFileSync(effects, `${name} ${ctx.idempotencyKey}\n`);
    process.stdout.write(`${name} began\n`);
    if (hangs) await new Promise((resolve) => setTimeout(resolve, 60_000));
    return { text: `${name.toLowerCase()}(${from})` };
  });
}

const chain = graph("chain", (input: Ref<{ from: string }>) => {
  const a = letter("A", false)({ from: input.from });
  const b = letter("B", false)({ from: a.text });
  return { c: letter("C", mode === "hang")({ from: b.text }).text };
});

const engine = await openEngine({ backend: sqlite(file), graphs: [chain] });
const handle = engine.recovered[0] ?? (await engine.start(chain, { from: "1" }));
process.stdout.write(`result ${JSON.stringify(await handle.result())}\n`);
await engine.close();
