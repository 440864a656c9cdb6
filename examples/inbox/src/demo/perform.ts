import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../report.ts";
import { checkCrash, checkKill, checkRun, messagesIn, type Check, type CrashEvidence } from "./checks.ts";
import { databaseBytes, folderAt, makeFresh, type Folder } from "./folder.ts";
import { readJournal, type Journal } from "./journal.ts";
import type { WorkerSetup } from "./messages.ts";
import type { DemoOptions } from "./options.ts";
import type { Stop } from "./stop.ts";
import type { Story } from "./story.ts";
import { startWorker, type WorkerEnd } from "./worker-process.ts";

export interface Outcome {
  readonly folder: Folder;
  /** Processes of the durable run, in order. */
  readonly workers: readonly WorkerEnd[];
  readonly uninterrupted: WorkerEnd | undefined;
  readonly crash: CrashEvidence | undefined;
  readonly report: Report | undefined;
  readonly databaseBytes: number;
  readonly checks: readonly Check[];
}

/** From an empty folder to everything there is to tell, or `undefined` when Ctrl-C came before the end. */
export async function perform(options: DemoOptions, stop: Stop, story: Story): Promise<Outcome | undefined> {
  const folder = folderAt(options.dir);
  makeFresh(folder);
  return options.crash ? withCrash(options, folder, stop, story) : withoutCrash(options, folder, stop, story);
}

async function withoutCrash(
  options: DemoOptions,
  folder: Folder,
  stop: Stop,
  story: Story,
): Promise<Outcome | undefined> {
  const worker = stop.durable(startWorker(durable(options, folder, folder.logs.first)));
  story.begins(worker.pid, messagesIn(options.every), false);
  const end = await worker.gone;
  return stop.requested ? undefined : outcome(options, folder, { workers: [end] });
}

/** The uninterrupted run is alone in its process and keeps nothing: it takes the other core meanwhile. */
async function withCrash(options: DemoOptions, folder: Folder, stop: Stop, story: Story): Promise<Outcome | undefined> {
  const half = Math.ceil(messagesIn(options.every) / 2);
  const uninterrupted = stop.disposable(
    startWorker({ outDir: folder.uninterrupted, every: options.every, bodyLog: folder.logs.uninterrupted }),
  );
  const first = stop.durable(startWorker(durable(options, folder, folder.logs.first), half));
  story.begins(first.pid, messagesIn(options.every), true);
  const killed = await first.gone;
  if (stop.requested) return undefined;
  if (killed.signal !== "SIGKILL") {
    await uninterrupted.gone;
    return outcome(options, folder, { workers: [killed] });
  }
  const journal = await readJournal(folder.database);
  story.killed(killed, journal);
  const second = stop.durable(startWorker(durable(options, folder, folder.logs.second)));
  story.resumes(second.pid);
  const resumed = await second.gone;
  if (stop.requested) return undefined;
  const rival = await uninterrupted.gone;
  return stop.requested
    ? undefined
    : outcome(options, folder, { workers: [killed, resumed], uninterrupted: rival, journal });
}

function durable({ dir, every, durability }: DemoOptions, folder: Folder, bodyLog: string): WorkerSetup {
  return { outDir: dir, every, bodyLog, database: { file: folder.database, durability } };
}

interface Ended {
  readonly workers: readonly WorkerEnd[];
  readonly uninterrupted?: WorkerEnd;
  readonly journal?: Journal;
}

function outcome(
  { every, crash: wanted }: DemoOptions,
  folder: Folder,
  { workers, uninterrupted, journal }: Ended,
): Outcome {
  const report = readReport(folder);
  const [killed, last] = [workers[0], workers.at(-1)];
  if (killed === undefined || last === undefined) throw new Error("the demo ran no worker");
  const crash = journal === undefined ? undefined : checkCrash(journal, folder);
  return {
    folder,
    workers,
    uninterrupted,
    crash,
    report,
    databaseBytes: databaseBytes(folder),
    checks: [...(wanted ? [checkKill(killed)] : []), ...(crash?.checks ?? []), ...checkRun(last, report, every)],
  };
}

function readReport({ dir }: Folder): Report | undefined {
  const path = join(dir, "report.json");
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
