import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { messageIds } from "../corpus.ts";
import type { Report } from "../report.ts";
import { countByNode, readBodyLog, without, type Invocations } from "./bodies.ts";
import { crashOf, type Crash } from "./crash.ts";
import type { Folder } from "./folder.ts";
import type { Journal } from "./journal.ts";
import { count, perNode } from "./text.ts";
import type { WorkerEnd } from "./worker-process.ts";

/** One thing the demo claims. */
export interface Check {
  readonly held: boolean;
  readonly claim: string;
  /** Said instead of the claim when it did not hold. */
  readonly otherwise: string;
}

export function checkKill({ pid, signal, status, reason }: WorkerEnd): Check {
  return {
    held: signal === "SIGKILL",
    claim: `worker ${pid} was killed by SIGKILL half-way`,
    otherwise: `worker ${pid} was over before it could be killed: ${status}; ${reason}`,
  };
}

/** Of the durable run as a whole. */
export function checkRun(end: WorkerEnd, report: Report | undefined, every: number): Check[] {
  const expected = messagesIn(every);
  const found = report?.totals.messages ?? 0;
  return [
    {
      held: end.status === "completed",
      claim: "the run completed",
      otherwise: `the run did not complete: ${end.status}; ${end.reason}`,
    },
    {
      held: found === expected,
      claim: `all ${count(expected)} messages are in the report, failed ones with their reason`,
      otherwise: `the report has ${count(found)} messages and not ${count(expected)}`,
    },
  ];
}

/** How many messages the graph takes. */
export function messagesIn(every: number): number {
  return Math.ceil(messageIds().size / every);
}

export interface CrashEvidence {
  /** As it was after the kill. */
  readonly journal: Journal;
  readonly crash: Crash;
  readonly checks: readonly Check[];
}

/** The claims about the crash, from the body logs of all three processes and the journal as it was after the kill. */
export function checkCrash(journal: Journal, folder: Folder): CrashEvidence {
  const killed = readBodyLog(folder.logs.first);
  const resumed = readBodyLog(folder.logs.second);
  const whole = readBodyLog(folder.logs.uninterrupted).started;
  const crash = crashOf(killed, resumed);
  const done = new Map([...resumed.journaled, ...resumed.started]);
  const checks = [
    checkTakenOver(journal, resumed.journaled),
    checkNoneTwice(crash),
    checkRanAgain(crash),
    {
      held: sameKeys(done, whole),
      claim: `both processes together did what the uninterrupted run did: ${count(whole.size)} ops`,
      otherwise: `both processes together did ${count(done.size)} ops, the uninterrupted run ${count(whole.size)}`,
    },
    ...["report.json", "report.html"].map((name) => checkSameBytes(name, folder)),
  ];
  return { journal, crash, checks };
}

function checkTakenOver({ finished }: Journal, journaled: Invocations): Check {
  const takenOver = countByNode(journaled);
  return {
    held: isDeepStrictEqual(finished, takenOver),
    claim: `all ${count(journaled.size)} ops that had finished were taken over from the journal`,
    otherwise: `the journal held ${perNode(finished)}; taken over were ${perNode(takenOver)}`,
  };
}

function checkNoneTwice({ finishedAndAgain, startedTwice }: Crash): Check {
  return {
    held: finishedAndAgain.size === 0 && startedTwice === 0,
    claim: "no finished op ran again",
    otherwise: `ran again though finished: ${some(finishedAndAgain)}; started twice on resume: ${startedTwice}`,
  };
}

function checkRanAgain({ inFlight, ranAgain }: Crash): Check {
  return {
    held: sameKeys(inFlight, ranAgain),
    claim: `${count(ranAgain.size)} ops ran again: those in flight, and only those`,
    otherwise:
      `in flight were ${inFlight.size}, ran again ${ranAgain.size}; ` +
      `forgotten: ${some(without(inFlight, ranAgain))}; again without need: ${some(without(ranAgain, inFlight))}`,
  };
}

function checkSameBytes(name: string, { dir, uninterrupted }: Folder): Check {
  const [ours, theirs] = [digest(join(dir, name)), digest(join(uninterrupted, name))];
  return {
    held: ours === theirs && ours !== "missing",
    claim: `${name} equals the uninterrupted run's, byte for byte (sha256 ${ours.slice(0, 12)}…)`,
    otherwise: `${name} differs from the uninterrupted run's: sha256 ${ours} and ${theirs}`,
  };
}

function digest(path: string): string {
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "missing";
}

function sameKeys(one: Invocations, other: Invocations): boolean {
  return one.size === other.size && without(one, other).size === 0;
}

function some(invocations: Invocations): string {
  if (invocations.size === 0) return "none";
  const paths = [...invocations.keys()].slice(0, 3).join(", ");
  return `${invocations.size} (${paths}${invocations.size > 3 ? ", …" : ""})`;
}
