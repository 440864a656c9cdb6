/**
 * A process that runs the graph to its end. It does not know whether another one died before it: `openEngine` takes
 * over what was left in the database, and only if there is nothing it starts a run.
 */
import { openEngine, showProgress, sqlite, type EngineOptions, type Observer } from "millrace";
import { bodyLog } from "./demo/body-log.ts";
import { runId, type FromWorker, type Spent, type ToWorker, type WorkerSetup } from "./demo/messages.ts";
import { observers } from "./demo/observers.ts";
import { inbox } from "./graph.ts";

const openedAt = performance.now();

// Ctrl-C reaches every process of the terminal; the parent decides and says so here. Without a parent there is no use.
process.on("SIGINT", () => {});
process.on("disconnect", leave);
const setup: WorkerSetup = JSON.parse(process.argv[2] ?? "{}");
const progress = setup.database === undefined ? undefined : showProgress(inbox);
const end = await run().catch((error: Error) => ({ status: "failed", reason: error.message }));
progress?.stop(end.status);
tell({ type: "ended", ...end, ...spent() });
process.off("disconnect", leave);
if (process.connected) process.disconnect();

async function run(): Promise<{ status: string; reason: string }> {
  await using engine = await openEngine({
    graphs: [inbox],
    observer: observers([bodyLog(setup.bodyLog), heartbeat(), progress?.observer ?? {}]),
    // Messages that fail are part of the report.
    warn: () => {},
    ...durable(setup),
  });
  const { outDir, every } = setup;
  const orphan = engine.recovered[0];
  const handle = orphan ?? (await engine.start(inbox, { outDir, every }, { id: runId }));
  if (orphan === undefined) progress?.begun(handle.runId);
  process.on("message", (_message: ToWorker) => {
    progress?.doing("draining: what is in flight finishes");
    void handle.drain().catch(() => {});
  });
  const { status, errors } = await handle.result();
  return { status, reason: errors.map(({ node, message }) => `${node}: ${message}`).join("; ") };
}

function durable({ database }: WorkerSetup): Partial<EngineOptions> {
  if (database === undefined) return {};
  const { file, durability } = database;
  return { backend: sqlite(file), durability };
}

/** Tells the parent how many messages are described, about a hundred times in all. */
function heartbeat(): Observer {
  const step = Math.max(1, Math.floor(60 / setup.every));
  let described = 0;
  return {
    finished({ node, replayed }) {
      if (node !== "describe") return;
      described += 1;
      if (!replayed && described % step === 0) tell({ type: "progress", described, ...spent() });
    },
  };
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

function spent(): Spent {
  const { user, system } = process.cpuUsage();
  return { seconds: (performance.now() - openedAt) / 1_000, cpuSeconds: (user + system) / 1e6 };
}

function leave(): void {
  process.exit(1);
}
