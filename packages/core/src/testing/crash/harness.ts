/** `crashHarness`: real processes on a real store, killed by SIGKILL, until it is known whether the store keeps what it says. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Durability } from "../../runtime/outcome.ts";
import { killAtRandom, type KilledLife, type KillPoint } from "../sigkill.ts";
import { isCrashLoop } from "../world/equality.ts";
import { harnessFailed } from "./failure.ts";
import { judgePlace, undisturbed, type CrashJudgement, type Undisturbed } from "./judge.ts";
import { linesIn, type Said } from "./lines.ts";
import type { CrashRun, CrashSubject } from "./subject.ts";

export type { CrashRun, CrashSubject };

export interface CrashHarnessOptions {
  /** Its default export is a `CrashSubject`. Loaded by every process, and by this one. */
  readonly module: string | URL;
  /** In all. Default 50. */
  readonly kills?: number;
  /** Of one place at most; then its runs are left to come to their end, and the next place begins. Default 10. */
  readonly killsEach?: number;
  /** Of these, so many in a hundred are SIGSTOP: the process wakes up when another one is at work. Default 0; needs leases. */
  readonly stops?: number;
  /** Of the moments. Default: from the clock. */
  readonly seed?: number;
  /** Milliseconds within which a process is killed: after its first body began, or after some commits. Default 60. */
  readonly within?: number;
  /** Default: `sync` and `async` in turns. Under `exit` what a run had done since it rested last is done again. */
  readonly durability?: Durability;
  /** What `connect` is given for the place of that number, from 0. Default: a folder of its own, removed at the end. */
  readonly place?: (number: number) => string | Promise<string>;
  /** Milliseconds that one process may take. Default 120,000. */
  readonly lifeTimeout?: number;
  /** Called when a process is gone, before the next one starts: to look at what it left. A throw is a failure. */
  readonly died?: (place: string, life: KilledLife) => void | Promise<void>;
}

export interface CrashReport {
  readonly seed: number;
  readonly places: number;
  readonly kills: number;
  readonly stops: number;
  /** Kills while bodies had begun and runs had not ended. */
  readonly midWork: number;
  readonly runs: number;
  readonly records: number;
  /** Commits whose acknowledgement a process lived to see: none of them was lost. */
  readonly acknowledged: number;
  /** Writes of processes that had lost their runs, each refused. */
  readonly refused: number;
  /** Bodies, and those that began again because they were in flight: none that was over did. */
  readonly bodies: number;
  readonly bodiesAgain: number;
  /** Runs with a body that was at work at three deaths in a row, which are judged by the reference interpreter alone. */
  readonly crashLoops: number;
}

interface Played {
  readonly lives: readonly KilledLife[];
  readonly said: readonly Said[];
  readonly judgement: CrashJudgement;
}

/**
 * Brings the runs of a subject to their end in processes that are killed at random moments, on one place after the other,
 * until there were enough kills; and decides: every run ends, as an undisturbed one does, nothing acknowledged is lost,
 * nothing that is recorded as over runs again, nobody writes under an epoch that has passed.
 *
 * @throws MillraceError `CrashHarnessFailed`, with everything that was not right and the seed
 */
export async function crashHarness(options: CrashHarnessOptions): Promise<CrashReport> {
  const { kills = 50, killsEach = 10, seed = Date.now() % 2 ** 32 } = options;
  const folder = mkdtempSync(join(tmpdir(), "millrace-crash-"));
  const subject = await subjectOf(options.module);
  const due = await undisturbed(subject);
  const report = { ...nothing, seed };
  try {
    // Nobody is killed in the first: what is found there is not the crash's doing.
    for (let number = 0; number === 0 || (report.kills < kills && number <= kills); number++) {
      const most = number === 0 ? 0 : Math.min(killsEach, kills - report.kills);
      const played = await playPlace(options, subject, due, { folder, number, most, seed });
      const { faults } = played.judgement;
      if (faults.length > 0) throw harnessFailed(seed, number, faults);
      add(report, subject, played);
    }
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function urlOf(module: string | URL): string {
  return typeof module === "string" && !module.includes("://") ? pathToFileURL(module).href : String(module);
}

async function subjectOf(module: string | URL): Promise<CrashSubject> {
  const { default: subject } = (await import(urlOf(module))) as { readonly default: CrashSubject };
  return subject;
}

interface Place {
  readonly folder: string;
  readonly number: number;
  readonly most: number;
  readonly seed: number;
}

async function playPlace(
  options: CrashHarnessOptions,
  subject: CrashSubject,
  due: Undisturbed,
  { folder, number, most, seed }: Place,
): Promise<Played> {
  const { within = 60, stops = 0, lifeTimeout = 120_000, died } = options;
  const durability = options.durability ?? (number % 2 === 0 ? "sync" : "async");
  const place = (await options.place?.(number)) ?? mkdtempSync(join(folder, "place-"));
  const file = join(folder, `said-${number}`);
  const lives = await killAtRandom({
    program: new URL("./worker.ts", import.meta.url),
    args: (life) => [urlOf(options.module), place, file, String(life), durability],
    kills: most,
    stops: stops / 100,
    seed: seed + number,
    points: pointsOf(durability, within),
    // Half of a start is reading TypeScript; the first process that ends by itself leaves it compiled.
    env: { NODE_COMPILE_CACHE: join(folder, "compiled") },
    lifeTimeout,
    died: (life) => died?.(place, life),
  });
  const said = linesIn(file);
  const store = await subject.connect(place);
  await store.open(`judge-${number}`);
  const judgement = await judgePlace(subject, store, said, due, durability);
  await store.close();
  return { lives, said, judgement };
}

function pointsOf(durability: Durability, within: number): readonly KillPoint[] {
  // While the store is opened, runs are claimed and journals replayed.
  const opening = { after: "opening\n", within: within * 2, weight: 1 };
  if (durability === "exit") return [{ after: "working\n", within: within * 3, weight: 6 }, opening];
  return [
    { after: "working\n", within, weight: 2 },
    // However slow or fast the machine is, some get so far.
    { after: "commit 4\n", within, weight: 2 },
    { after: "commit 12\n", within, weight: 3 },
    { after: "commit 28\n", within, weight: 3 },
    opening,
  ];
}

const nothing = {
  places: 0,
  kills: 0,
  stops: 0,
  midWork: 0,
  runs: 0,
  records: 0,
  acknowledged: 0,
  refused: 0,
  bodies: 0,
  bodiesAgain: 0,
  crashLoops: 0,
};

type Counts = { -readonly [K in keyof CrashReport]: number };

function add(report: Counts, subject: CrashSubject, { lives, said, judgement }: Played): void {
  report.places++;
  report.kills += lives.filter(({ killed }) => killed).length;
  report.stops += lives.filter(({ stopped }) => stopped).length;
  report.midWork += lives.filter((life) => diedAtWork(life, said, subject.runs.length)).length;
  report.runs += judgement.runs.length;
  report.refused += said.filter(({ what }) => what === "refused").length;
  for (const { journal, track } of judgement.runs) {
    const entries = track.ownerships.flatMap((ownership) => ownership.entries);
    report.records += journal.row.lastSeq;
    report.acknowledged += track.acknowledged.length;
    report.bodies += entries.length;
    report.bodiesAgain += entries.length - new Set(entries.map(({ path, attempt }) => `${path} ${attempt}`)).size;
    if (isCrashLoop(journal)) report.crashLoops++;
  }
}

function diedAtWork({ killed, number }: KilledLife, said: readonly Said[], runs: number): boolean {
  const its = said.filter(({ life }) => life <= number);
  return killed && its.some(({ life, what }) => life === number && what === "body") && endedIn(its) < runs;
}

function endedIn(said: readonly Said[]): number {
  return new Set(said.flatMap(({ what, run }) => (what === "ended" ? [run] : []))).size;
}
