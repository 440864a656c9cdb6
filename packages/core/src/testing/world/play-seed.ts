/** One seed: the uninterrupted run, where there is something to compare, the disturbed one, and the judgement of both. */
import { Dice } from "../dice.ts";
import type { StoredJournal } from "../simulate/journal.ts";
import { playCase, type PlayedCase } from "./case.ts";
import { checkEqual } from "./equality.ts";
import { drawSchedule, type FaultKind } from "./faults.ts";
import { judge } from "./judge.ts";
import type { CaseSettings, Subject } from "./subject.ts";

export interface SeedVerdict {
  /** Empty when all is right. */
  readonly faults: readonly string[];
  readonly played: PlayedCase;
  readonly journals: readonly StoredJournal[];
  /** Runs that were compared with uninterrupted ones. */
  readonly compared: number;
}

export interface SeedOptions {
  readonly kinds: ReadonlySet<FaultKind>;
  /** The subject is known to be order-free, also where it has failures. */
  readonly surely: boolean;
}

const quiet = { faults: [], lateHints: false };

export async function playSeed(subject: Subject, settings: CaseSettings, options: SeedOptions): Promise<SeedVerdict> {
  return disturb(subject, settings, options, await rehearse(subject, settings));
}

/** What the uninterrupted run came to; null: an order of events may show in it, and there is nothing to compare. */
export type Rehearsal = Omit<SeedVerdict, "compared"> | null;

/** Plays the uninterrupted run, once for all that disturbs it. */
export async function rehearse(subject: Subject, settings: CaseSettings): Promise<Rehearsal> {
  const alone = { ...settings, workers: 1, reads: false, keys: false };
  return subject.orderFree ? playJudged(subject, alone, quiet, new Dice(settings.seed, 31)) : null;
}

export async function disturb(
  subject: Subject,
  settings: CaseSettings,
  options: SeedOptions,
  whole: Rehearsal,
): Promise<SeedVerdict> {
  if (whole !== null && whole.faults.length > 0)
    return { ...whole, compared: 0, faults: whole.faults.map((fault) => `undisturbed: ${fault}`) };
  const dice = new Dice(settings.seed, 32);
  const commits = whole?.played.commits ?? likelyCommits(dice, settings);
  const schedule = drawSchedule(dice, commits, options.kinds, spanOf(settings, whole?.played.events));
  const disturbed = await playJudged(subject, settings, schedule, dice);
  const faults = [...disturbed.faults];
  const compared = whole === null || faults.length > 0 ? 0 : compareRuns(whole, disturbed, options.surely, faults);
  return { ...disturbed, faults, compared };
}

/** Where commits are few, most of a run lies between two of them. */
function spanOf({ durability }: CaseSettings, events = 150): number {
  return durability === "exit" ? Math.max(8, events) : 8;
}

/** Most runs are short; a fault that comes behind the end has not come. */
function likelyCommits(dice: Dice, { runs }: CaseSettings): number {
  return runs * (dice.chance(0.7) ? 6 : 30);
}

async function playJudged(
  subject: Subject,
  settings: CaseSettings,
  schedule: Parameters<typeof playCase>[2],
  dice: Dice,
): Promise<Omit<SeedVerdict, "compared">> {
  const played = await playCase(subject, settings, schedule, dice);
  const { faults, runs } = await judge(played, subject, settings);
  return { played, faults, journals: runs.flatMap(({ journal }) => (journal === null ? [] : [journal])) };
}

type Judged = Pick<SeedVerdict, "journals">;

function compareRuns(whole: Judged, disturbed: Judged, surely: boolean, faults: string[]): number {
  return whole.journals.filter((journal, i) => {
    const interrupted = disturbed.journals[i];
    return interrupted !== undefined && checkEqual(journal, interrupted, surely, faults);
  }).length;
}
