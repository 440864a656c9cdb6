/**
 * Brings the jobs to their end on the database argv[2], with what bodies do in the file argv[3], as life number argv[4],
 * with argv[5] (`sync` or `async`) durability. Says `opening`, `working` when the first body begins, and of each run
 * `started id` and `ended id status` when the engine has told it so.
 */
import { openEngine, type Engine, type Handle } from "../../../src/index.ts";
import { sqlite } from "../../../src/node/index.ts";
import { notesInto } from "../support/effects.ts";
import { jobsWith, type Job } from "../support/jobs.ts";

const [, , file = "", effects = "", life = "1", durability = "sync"] = process.argv;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const jobs = jobsWith(notesInto(effects, Number(life), () => say("working")));

async function handleOf(engine: Engine, { id, flow, input }: Job): Promise<Handle<unknown> | undefined> {
  const recovered = engine.recovered.find((handle) => handle.runId === id);
  if (recovered !== undefined) return recovered;
  const known = await engine.get(id);
  // One whose processes died again and again is held back by the engine itself, for a while.
  if (known !== undefined) return known.endedAt === null ? engine.resume(id) : undefined;
  const handle = await engine.start(flow, input, { id });
  say(`started ${id}`);
  return handle;
}

async function finish(engine: Engine, job: Job, delay: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delay));
  const handle = await handleOf(engine, job);
  if (handle === undefined) return;
  const { status } = await handle.result();
  say(`ended ${job.id} ${status}`);
}

say("opening");
const engine = await openEngine({
  backend: sqlite(file, { synchronous: "full", busyTimeout: 30_000 }),
  graphs: [...new Set(jobs.map(({ flow }) => flow))],
  // Pages that are gone for good are part of the play.
  warn: () => undefined,
  durability: durability === "async" ? "async" : "sync",
});
await Promise.all(jobs.map((job, i) => finish(engine, job, i * 15)));
await engine.close();
