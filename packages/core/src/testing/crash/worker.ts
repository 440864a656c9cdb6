/**
 * One process of the harness: brings the runs of the module argv[2] to their end on the store at argv[3], says what it sees in
 * the file argv[4] as number argv[5], with the durability argv[6]. Says `opening`, `working` when the first body
 * begins, and `commit n` at some of its commits, on its standard output.
 */
import { planOf } from "../../build/plan-of.ts";
import type { Engine, Handle, RunResult } from "../../engine/api.ts";
import { openEngine } from "../../engine/engine.ts";
import type { Interrupt } from "../../events/interrupt.ts";
import type { OpCtx, Runnable } from "../../model/op.ts";
import type { Durability } from "../../runtime/outcome.ts";
import { runnableOf, watchedPlan, type BodyWatch } from "../world/instrument.ts";
import { writeLines, type Line } from "./lines.ts";
import type { CrashRun, CrashSubject } from "./subject.ts";
import { ToldBackend } from "./told-backend.ts";

const [, , module = "", place = "", file = "", life = "1", durability = "sync"] = process.argv;
const againMs = 100;
/** Another process has the run, had it, or just took it; or the store could not be asked. */
const passing: ReadonlySet<string> = new Set([
  "DatabaseLocked",
  "DatabaseUnavailable",
  "InterruptAnswered",
  "InterruptNotFound",
  "LeaseLost",
  "RunElsewhere",
  "RunEnded",
  "RunExists",
]);

const { default: subject } = (await import(module)) as { readonly default: CrashSubject };
const write = writeLines(file, Number(life));
let silent = true;
let commits = 0;

function say(line: Line): void {
  write(line);
  if (line.what === "acknowledged" && ++commits % 4 === 0) process.stdout.write(`commit ${commits}\n`);
}

function begin({ runId, path, node, attempt, idempotencyKey: key }: OpCtx): void {
  say({ what: "body", run: runId, epoch: backend.epochs.get(runId) ?? 0, path, node, attempt, key });
  if (silent) process.stdout.write("working\n");
  silent = false;
}

const watch: BodyWatch = { enter: begin, asked: () => undefined, gave: () => undefined, pause: () => null };
const graphs = new Map<Runnable<never, unknown>, Runnable<unknown, unknown>>();
for (const { graph } of subject.runs)
  if (!graphs.has(graph)) graphs.set(graph, runnableOf(watchedPlan(planOf(graph), watch)));

async function handleOf(engine: Engine, { id, graph, input }: CrashRun): Promise<Handle<unknown> | null> {
  const known = await engine.get(id);
  if (known !== undefined && known.endedAt !== null) return null;
  const recovered = engine.recovered.find((handle) => handle.runId === id);
  if (recovered !== undefined) return recovered;
  // One whose processes died again and again is held back by the engine itself, for a while.
  return known === undefined ? engine.start(graphs.get(graph) as never, input, { id }) : engine.resume(id);
}

function answerTo(question: Interrupt): unknown {
  return subject.answer?.(question) ?? { rerun: true };
}

/** What the run came to here, once its questions are answered; null: it has ended already. */
async function seenThrough(engine: Engine, run: CrashRun): Promise<RunResult<unknown> | null> {
  const handle = await handleOf(engine, run);
  if (handle === null) return null;
  let result = await handle.result();
  while (result.status === "interrupted") {
    for (const question of result.interrupts) {
      await engine.answer(run.id, question.path, answerTo(question));
      say({ what: "answered", run: run.id, path: question.path });
    }
    result = await handle.result();
  }
  return result;
}

async function finish(engine: Engine, run: CrashRun): Promise<void> {
  for (;;) {
    try {
      const result = await seenThrough(engine, run);
      if (result !== null) say({ what: "ended", run: run.id, status: result.status });
      return;
    } catch (error) {
      if (!passing.has((error as { code?: string }).code ?? "")) throw error;
      await new Promise((resolve) => setTimeout(resolve, againMs));
    }
  }
}

process.stdout.write("opening\n");
const backend = new ToldBackend(await subject.connect(place), say);
const engine = await openEngine({
  backend,
  graphs: [...graphs.values()],
  resources: subject.resources?.() ?? [],
  // Failures that are part of the play are nobody's news.
  warn: () => undefined,
  durability: durability as Durability,
});
await Promise.all(subject.runs.map((run) => finish(engine, run)));
await engine.close();
