import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { graph, op, openEngine } from "@millrace/core";
import { sqlite } from "@millrace/core/node";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let began = 0;
let successor = 0;
const fast = op("fast", async () => (await sleep(10), { v: 1 }));
const slow = op("slow", async () => (await sleep(500), { v: 1 }));
const next = op("next", async ({ v }) => ((successor = performance.now() - began), { v }));
const fork = graph("fork", () => ({ slow: slow().v, next: next({ v: fast().v }).v }));

const engine = await openEngine({ backend: sqlite(join(mkdtempSync(join(tmpdir(), "millrace-")), "compare.db")) });
for (let i = 0; i < 3; i++) {
  began = performance.now();
  await engine.run(fork, {});
}
await engine.close();
console.log("durable run with nothing beside this process: yes (one SQLite file)");
console.log(`fork of a 10 ms and a 500 ms branch: the fast branch's successor starts after ${successor.toFixed(0)} ms`);
