/**
 * Smoke test of the packages on the oldest supported Node: `npx -y -p node@22.18.0 node scripts/smoke-node22.ts`.
 * Every check is one line here and one `ok` line in the output.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, each, graph, memory, op, openEngine, type Ref } from "@millrace/core";
import { sqlite } from "@millrace/core/node";

const folder = mkdtempSync(join(tmpdir(), "millrace-smoke-"));
const ran: number[] = [];
const double = op("double", async ({ x }: { x: number }) => {
  ran.push(x);
  await new Promise((done) => setTimeout(done, 5));
  return { y: x * 2 };
});
const doubles = graph("doubles", (input: Ref<{ xs: number[] }>) => ({
  ys: collect(double({ x: each(input.xs) }, { parallel: 2 }).y),
}));
const xs = Array.from({ length: 20 }, (_, i) => i);
const ys = xs.map((x) => x * 2);

const checks: Readonly<Record<string, () => Promise<void>>> = {
  "a graph runs without a backend": async () => {
    const engine = await openEngine();
    assert.deepEqual(await engine.run(doubles, { xs }), { ys });
    await engine.close();
  },
  "a graph runs on memory": async () => {
    const engine = await openEngine({ backend: memory(), graphs: [doubles] });
    assert.deepEqual(await engine.run(doubles, { xs }), { ys });
    await engine.close();
  },
  "a drained run goes on in another engine on SQLite, and no finished body runs again": async () => {
    const file = join(folder, "smoke.db");
    ran.length = 0;
    const first = await openEngine({ backend: sqlite(file), graphs: [doubles] });
    const handle = await first.start(doubles, { xs }, { id: "smoke" });
    await new Promise((done) => setTimeout(done, 20));
    assert.equal((await handle.drain()).status, "drained");
    await first.close();
    const second = await openEngine({ backend: sqlite(file), graphs: [doubles] });
    const resumed = await (await second.resume("smoke")).result();
    assert.deepEqual(resumed, { status: "completed", output: { ys }, errors: [], cells: {} });
    assert.deepEqual(
      ran.toSorted((a, b) => a - b),
      xs,
    );
    await second.close();
  },
};

console.log(`Node ${process.versions.node}`);
for (const [name, check] of Object.entries(checks)) {
  await check();
  console.log(`ok ${name}`);
}
rmSync(folder, { recursive: true, force: true });
