/** `drive-links <file> <ledger> <run>`: starts the run, or goes on with it, and notes each body in the ledger when it begins. */
import { appendFileSync } from "node:fs";

import { graph, op, openEngine, type Ref } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", ledger = "", id = ""] = process.argv;

const links = Array.from({ length: 60 }, (_, i) =>
  op(`link${i}`, async ({ n }: { n: number }) => {
    appendFileSync(ledger, `${process.pid} ${i}\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { n: n + 1 };
  }),
);
const chain = graph("chain", (input: Ref<{ n: number }>) => {
  let { n } = input;
  for (const link of links) n = link({ n }).n;
  return { n };
});

const engine = await openEngine({ backend: sqlite(file), graphs: [chain], recover: false });
process.stdout.write("open\n");
try {
  const row = await engine.get(id);
  const output =
    row === undefined ? await engine.run(chain, { n: 0 }, { id }) : await (await engine.resume(id)).result();
  process.stdout.write(`ended ${JSON.stringify(output)}\n`);
} catch (error) {
  process.stdout.write(`failed ${(error as { code?: string }).code} ${String(error)}\n`);
}
await engine.close();
process.stdout.write("closed\n");
