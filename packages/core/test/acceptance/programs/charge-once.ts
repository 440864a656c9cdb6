/**
 * Charges argv[4] times, one after the other and two at a time, on the database argv[2], with one line per effect in the
 * file argv[3]. Starts the run, or goes on with the one it finds, and answers what is asked of bodies in doubt as a person
 * would who looks into that file. Prints `charging k`, and `result …` at its end.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import {
  collect,
  derive,
  each,
  graph,
  op,
  openEngine,
  type Handle,
  type Interrupt,
  type Ref,
} from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";

const [, , file = "", effects = "", count = "0", durability = "sync"] = process.argv;

const charge = op("charge", { effect: "unsafe" }, async ({ k }: { k: number }) => {
  process.stdout.write(`charging ${k}\n`);
  await new Promise((resolve) => setTimeout(resolve, 2));
  appendFileSync(effects, `${k}\n`);
  await new Promise((resolve) => setTimeout(resolve, 2));
  return { id: `c${k}` };
});
const flow = graph("flow", (input: Ref<{ n: number }>) => {
  const ks = derive(input.n, (n) => Array.from({ length: n }, (_, k) => k));
  return { ids: collect(charge({ k: each(ks, { name: "ks" }) }, { parallel: 2 }).id) };
});

function charged(): string[] {
  return existsSync(effects) ? readFileSync(effects, "utf8").split("\n") : [];
}

function verdictOn({ payload }: Interrupt): unknown {
  const { k } = (payload as { input: { k: number } }).input;
  return charged().includes(String(k)) ? { output: { id: `c${k}` } } : { rerun: true };
}

const engine = await openEngine({
  backend: sqlite(file),
  graphs: [flow],
  durability: durability === "async" ? "async" : "sync",
});
const known = await engine.get("run");

async function goOn(): Promise<Pick<Handle<unknown>, "result" | "answer">> {
  if (known === undefined) return engine.start(flow, { n: Number(count) }, { id: "run" });
  return engine.recovered[0] ?? engine.resume("run");
}

async function seeThrough(handle: Pick<Handle<unknown>, "result" | "answer">): Promise<void> {
  for (;;) {
    const result = await handle.result();
    if (result.status !== "interrupted") return;
    for (const question of result.interrupts) {
      process.stdout.write(`asked ${question.path}\n`);
      await handle.answer(question.id, verdictOn(question), { by: "the bank" });
    }
  }
}

// It may have been killed between its end and its report.
if (known?.status !== "completed") await seeThrough(await goOn());
const { status, output, errors } = (await engine.get("run")) ?? {};
process.stdout.write(`result ${JSON.stringify({ status, output, errors })}\n`);
await engine.close();
