/** What a simulation was about: one of nothing would find nothing. */
import type { StoredJournal } from "../simulate/journal.ts";
import type { PlayedCase } from "./case.ts";
import { faultKinds, type FaultKind } from "./faults.ts";

export interface SimulationReport {
  readonly cases: number;
  /** The seeds, as they are told to people: `1 .. 200`. */
  readonly seeds: string;
  readonly workers: number;
  /** Records of all runs. */
  readonly records: number;
  /** How often each kind of fault struck. `lateHint`: hints that came late, twice or never. */
  readonly faults: Readonly<Record<FaultKind, number>>;
  /** Runs that another process went on with, or the same one again. */
  readonly takeovers: number;
  /** Writes of processes that did not have the run any more, each refused by the store. */
  readonly refusedWrites: number;
  /** Bodies that began, and of these again after a take-over. */
  readonly bodies: number;
  readonly bodiesAgain: number;
  /** Runs that were put aside, and questions that were answered. */
  readonly parked: number;
  readonly answers: number;
  /** Runs whose outcome was compared with that of an uninterrupted one; all are compared with the reference interpreter. */
  readonly compared: number;
  /** What of the graph shows the order of events, so that outcomes cannot be compared; null: nothing. */
  readonly showsOrder: string | null;
  readonly completed: number;
  readonly failed: number;
}

type Counts = { -readonly [K in keyof SimulationReport]: SimulationReport[K] };

export function newReport(workers: number, seeds: string, showsOrder: string | null): Counts {
  const none = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  return {
    cases: 0,
    seeds,
    workers,
    records: 0,
    faults: none,
    takeovers: 0,
    refusedWrites: 0,
    bodies: 0,
    bodiesAgain: 0,
    parked: 0,
    answers: 0,
    compared: 0,
    showsOrder,
    completed: 0,
    failed: 0,
  };
}

export function addCase(
  report: Counts,
  played: PlayedCase,
  journals: readonly StoredJournal[],
  compared: number,
): void {
  const faults = { ...report.faults };
  for (const kind of faultKinds) faults[kind] += played.struck[kind] ?? 0;
  report.faults = faults;
  report.cases++;
  report.answers += played.answers;
  report.compared += compared;
  for (const { ownerships, refused } of played.tracks) {
    const entries = ownerships.flatMap((ownership) => ownership.entries);
    report.takeovers += Math.max(0, ownerships.length - 1);
    report.refusedWrites += refused;
    report.bodies += entries.length;
    report.bodiesAgain += entries.length - new Set(entries.map(({ path, attempt }) => `${path} ${attempt}`)).size;
  }
  for (const { row, happenings } of journals) {
    report.records += row.lastSeq;
    if (row.status === "completed") report.completed++;
    if (row.status === "failed") report.failed++;
    report.parked += happenings.filter((one) => one.kind === "ended" && one.status === "interrupted").length;
  }
}
