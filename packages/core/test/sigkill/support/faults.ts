/** Was it right? Said from the journals, the effects, the snapshots at every death, and what the processes had said. */
import { isDeepStrictEqual } from "node:util";
import { planOf } from "../../../src/build/plan-of.ts";
import type { RunInfo, RunResult } from "../../../src/index.ts";
import type { Happening } from "../../../src/testing/reference/happening.ts";
import type { Life } from "../../../src/testing/simulate/lives.ts";
import { nodePathsOf } from "../../../src/testing/simulate/paths.ts";
import { comparable, faultsOf } from "../../../src/testing/simulate/verdict.ts";
import type { FinishedRun, LivedThrough, Played } from "./database.ts";
import type { Effect } from "./effects.ts";

/** Results of undisturbed runs without a backend, by run id. */
export type Undisturbed = ReadonlyMap<string, RunResult<unknown>>;

export function faultsOfPlay({ lives, runs, durability }: Played, undisturbed: Undisturbed): string[] {
  const faults = [...lives.flatMap(faultsOfLife), ...sharedKeys(lives)];
  for (const run of runs) {
    const found = [
      ...faultsOfResult(run, undisturbed.get(run.job.id)),
      ...faultsOfSnapshots(run, lives),
      ...inventions(run, lives),
      // I3, I4, I6, I12, R12, P3.8: what the simulator checks of its runs.
      ...faultsOf({ plan: planOf(run.job.flow) }, run.journal, simulated(run, lives), {
        durability,
        concurrency: undefined,
        runConcurrency: undefined,
      }),
    ];
    faults.push(...found.map((fault) => `run ${run.job.id}: ${fault}`));
  }
  return faults;
}

/** Integrity of the file; I1: what was acknowledged was durable when the process died. */
function faultsOfLife({ number, left, stdout, effects }: LivedThrough): string[] {
  const faults: string[] = [];
  if (left.integrity !== "ok") faults.push(`life ${number}: integrity_check says ${left.integrity}`);
  for (const line of stdout.split("\n").slice(0, -1)) {
    const [what, id = "", status = ""] = line.split(" ");
    const found = left.runs.get(id)?.status;
    if (what === "started" && found === undefined) faults.push(`I1 life ${number}: ${id} was started and is not there`);
    if (what === "ended" && found !== status) faults.push(`I1 life ${number}: ${id} ended ${status} and is ${found}`);
  }
  for (const id of new Set(effects.map(({ runId }) => runId)))
    if (!left.runs.has(id)) faults.push(`P3.8a life ${number}: a body of ${id} began, and there is no such run`);
  return faults;
}

/** R12 over runs: the simulator's verdict knows one run only. */
function sharedKeys(lives: readonly LivedThrough[]): string[] {
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const { runId, path, key } of lives.flatMap(({ effects }) => effects)) {
    const owner = owners.get(key) ?? `${runId} ${path}`;
    if (owner !== `${runId} ${path}`) faults.push(`R12: ${runId} ${path} and ${owner} share the key ${key}`);
    owners.set(key, owner);
  }
  return faults;
}

/** A body that happened to be at work at three kills in a row. */
export function isCrashLoop(happening: Happening): boolean {
  return happening.kind === "attemptFailed" && happening.error.code === "CrashLoop";
}

/** What such a failure leads to the reference interpreter says. */
function faultsOfCrashLoop({ status }: RunInfo): string[] {
  return status === "completed" || status === "failed" ? [] : [`R11: the run is ${status}`];
}

function differences(info: RunInfo, due: Extract<RunResult<unknown>, { status: "completed" }>): string[] {
  const faults: string[] = [];
  if (info.status !== "completed") faults.push(`R11: the run is ${info.status}`);
  if (!isDeepStrictEqual(info.output, due.output))
    faults.push(`R11: output ${JSON.stringify(info.output)}, expected ${JSON.stringify(due.output)}`);
  if (!isDeepStrictEqual(comparable(info.errors), comparable(due.errors)))
    faults.push(`R11: errors ${JSON.stringify(info.errors)}, expected ${JSON.stringify(due.errors)}`);
  return faults;
}

/** R11: the output of an undisturbed run; I6: the only terminal record is the last one; I12. */
function faultsOfResult({ info, journal }: FinishedRun, due: RunResult<unknown> | undefined): string[] {
  const faults: string[] = [];
  if (due?.status !== "completed") throw new Error("the undisturbed run did not complete");
  if (journal.happenings.some(isCrashLoop)) faults.push(...faultsOfCrashLoop(info));
  else faults.push(...differences(info, due));
  const ends = journal.happenings.flatMap(({ kind }, i) => (kind === "ended" ? [i + 1] : []));
  if (!isDeepStrictEqual(ends, [info.lastSeq])) faults.push(`I6: terminal records at ${ends.join(", ")}`);
  if (info.owner !== null) faults.push(`the ended run still has the owner ${info.owner}`);
  return faults;
}

/**
 * I1, I3: what was durable at a death is the beginning of the final journal, byte for byte; what a life wrote begins with
 * its `resumed` record, its only one, under the epoch that the row then has; epochs never go down.
 */
function faultsOfSnapshots({ job, journal, chains }: FinishedRun, lives: readonly LivedThrough[]): string[] {
  const faults: string[] = [];
  let before = { epoch: 0, lastSeq: 0 };
  for (const { number, left } of lives) {
    const now = left.runs.get(job.id);
    if (now === undefined) {
      if (before.lastSeq > 0) faults.push(`I1 life ${number}: the run is gone`);
      continue;
    }
    if (chains.get(now.lastSeq) !== now.chain) faults.push(`I1 life ${number}: record ${now.lastSeq} was another one`);
    if (now.epoch < before.epoch) faults.push(`I3 life ${number}: epoch ${now.epoch} after epoch ${before.epoch}`);
    const written = journal.happenings.slice(before.lastSeq, now.lastSeq);
    const fault = segmentFault(written, before.lastSeq === 0, now.epoch);
    if (fault !== null) faults.push(`I3 life ${number}, records ${before.lastSeq + 1} to ${now.lastSeq}: ${fault}`);
    before = now;
  }
  return faults;
}

function segmentFault(written: readonly Happening[], first: boolean, epoch: number): string | null {
  const [head, ...rest] = written;
  if (head === undefined) return null;
  const inner = rest.find(({ kind }) => kind === "resumed" || kind === "started");
  if (inner !== undefined) return `a ${inner.kind} record stands in the middle`;
  if (first) return head.kind === "started" ? null : `the first record is ${head.kind}`;
  if (head.kind !== "resumed") return `a new owner began with ${head.kind}`;
  return head.epoch === epoch ? null : `resumed by epoch ${head.epoch}, and the row says ${epoch}`;
}

/** The journal invents nothing: what it says is over did begin and end. */
function inventions({ job, journal }: FinishedRun, lives: readonly LivedThrough[]): string[] {
  // Nothing came of a body that was not begun again, whatever it had done.
  const happenings = journal.happenings.filter((one) => !isCrashLoop(one));
  const paths = nodePathsOf(planOf(job.flow), happenings);
  const effects = lives.flatMap((life) => life.effects.filter(({ runId }) => runId === job.id));
  const over = new Set(effects.filter(({ moment }) => moment === "end").map(({ path }) => path));
  const ended = happenings.filter(({ kind }) => kind === "output" || kind === "eof").length;
  const known = new Set([...over].filter((path) => paths.overAt(path, 0) !== undefined));
  const failed = happenings.filter((one) => one.kind === "attemptFailed" && one.retryAt === null).length;
  return known.size === ended + failed ? [] : [`${ended + failed} bodies are over, and ${known.size} of them ended`];
}

/** The lives of one run, from the one that made it, as the simulator's verdict reads them. */
function simulated({ job }: FinishedRun, lives: readonly LivedThrough[]): Life[] {
  return lives.flatMap(({ left, effects }) => {
    const now = left.runs.get(job.id);
    if (now === undefined) return [];
    const entries = effects.filter(({ runId, moment }) => runId === job.id && moment === "start").map(entryOf);
    return [
      {
        entries,
        end: "crash",
        over: false,
        durable: now.lastSeq,
        status: now.status,
        state: null,
        faults: [],
        now: 0,
        times: new Map(),
        told: [],
      },
    ];
  });
}

function entryOf({ path, attempt, key }: Effect): Life["entries"][number] {
  return { path, node: nodeOf(path), attempt, key, after: null, session: 0 };
}

/** What follows the last item, or the graph: `shelf/pages[3]/judge/score` is of the node `judge/score`. */
function nodeOf(path: string): string {
  const item = path.lastIndexOf("]/");
  return item < 0 ? path.slice(path.indexOf("/") + 1) : path.slice(item + 2);
}
