/**
 * Was it right? What must hold of every run of a case, said from its journal, from what was seen from outside, from what
 * engines told, and from the reference interpreter fed with the journal's records in their order.
 *
 * I1 I2 I3 I4 I6 I7 I8 I9 I10 I11 I12 here and in `track.ts`, `case.ts` and `simulate/verdict.ts`; I5 in `equality.ts`.
 */
import type { Plan } from "../../model/plan.ts";
import { endedStatuses, type Backend, type RunStatus } from "../../ports/backend.ts";
import { openEngine } from "../../engine/engine.ts";
import type { StreamEvent } from "../../engine/stream/events.ts";
import { runnableOf } from "./instrument.ts";
import { readModes } from "./client.ts";
import { readJournal, type StoredJournal } from "../simulate/journal.ts";
import { pathOf } from "../simulate/paths.ts";
import type { Life, Settings } from "../simulate/lives.ts";
import { faultsOf } from "../simulate/verdict.ts";
import type { PlayedCase } from "./case.ts";
import type { CaseSettings, Subject } from "./subject.ts";
import type { Ownership, Promised, Track } from "./track.ts";

export interface JudgedRun {
  readonly track: Track;
  /** Null: there is none, or it cannot be read. */
  readonly journal: StoredJournal | null;
}

export interface Judgement {
  readonly faults: readonly string[];
  readonly runs: readonly JudgedRun[];
}

export async function judge(played: PlayedCase, subject: Subject, settings: CaseSettings): Promise<Judgement> {
  const faults = [...played.faults];
  const store = subject.wrap(played.store.another());
  await store.open("the reader");
  const runs: JudgedRun[] = [];
  for (const track of played.tracks) {
    const found: string[] = [...track.faults];
    const journal = await journalOf(store, track, found);
    if (journal !== null) {
      found.push(...checkRun(subject, settings, played.jumped, track, journal));
      await checkAcknowledged(played.store, track, found);
    }
    faults.push(...found.map((fault) => (settings.runs === 1 ? fault : `${track.id}, ${fault}`)));
    runs.push({ track, journal });
  }
  await store.close();
  if (settings.reads && faults.length === 0) await checkReadings(played, subject, faults);
  return { faults, runs };
}

/** I2: it is contiguous and chained. */
async function journalOf(store: Backend, { id, ended }: Track, faults: string[]): Promise<StoredJournal | null> {
  try {
    const journal = await readJournal(store, id);
    return ended ? journal : null;
  } catch (error) {
    if (ended) faults.push(`I2: the journal cannot be read: ${String(error)}`);
    return null;
  }
}

/** @param jumped clocks did not all say the same: no time is looked at. */
export function checkRun(
  subject: Pick<Subject, "plan" | "fickle">,
  settings: Settings,
  jumped: boolean,
  track: Track,
  journal: StoredJournal,
): string[] {
  const faults = faultsOf(subject, journal, livesOf(track, journal, jumped), settings);
  checkEnds(journal, faults);
  checkAnswers(journal, faults);
  checkPromised(subject.plan, track.promised, journal, faults);
  checkAttempts(subject.plan, track, faults);
  return faults;
}

/** By owner, in the order of their epochs: as the simulator's verdict reads them. */
function livesOf({ ownerships, told }: Track, { row, happenings }: StoredJournal, jumped: boolean): Life[] {
  const last = told.findLast(({ result }) => result.status === row.status)?.result;
  return ownerships.map((ownership, i) => {
    const next = ownerships[i + 1];
    const durable = next?.from ?? row.lastSeq;
    const end = next === undefined && last !== undefined ? last : "crash";
    return {
      entries: ownership.entries,
      end,
      over: next === undefined,
      now: 0,
      durable,
      status: next === undefined ? row.status : statusOf(next, happenings),
      state: next === undefined && ownership.state !== null && ownership.state.end !== null ? ownership.state : null,
      faults: [],
      times: jumped ? new Map() : ownership.times,
      told: null,
    };
  });
}

/** A run that anybody may take up is queued, whatever its last record says: that it rests, or goes on. */
function statusOf({ found, from }: Ownership, happenings: StoredJournal["happenings"]): RunStatus {
  if (found !== "queued") return found;
  const last = happenings[from - 1];
  const rests = last?.kind === "ended" && (last.status === "drained" || last.status === "interrupted");
  return rests ? last.status : "running";
}

/** I6 */
function checkEnds({ happenings }: StoredJournal, faults: string[]): void {
  const ends = happenings.flatMap((happening, i) =>
    happening.kind === "ended" && endedStatuses.has(happening.status as RunStatus) ? [i + 1] : [],
  );
  if (ends.length !== 1 || ends[0] !== happenings.length) faults.push(`I6: terminal records at ${ends.join(", ")}`);
}

/** I10 */
function checkAnswers({ happenings }: StoredJournal, faults: string[]): void {
  const open = new Map<string, number>();
  happenings.forEach((happening, i) => {
    if (happening.kind !== "asked" && happening.kind !== "answered") return;
    const what = `${happening.slot}@${String(happening.at)}`;
    const asked = (open.get(what) ?? 0) + (happening.kind === "asked" ? 1 : -1);
    if (asked < 0) faults.push(`I10: record ${i + 1} answers a question that is not open`);
    open.set(what, asked);
  });
}

/**
 * I1, K9: who was told that their answer is durable finds it in the journal, unless nobody wants to know any more. A body that
 * is in doubt again is asked about again, and the answer to each may be by the same.
 */
export function checkPromised(
  plan: Plan,
  promised: readonly Promised[],
  { happenings }: StoredJournal,
  faults: string[],
): void {
  if (promised.length === 0) return;
  const found = happenings.flatMap((one) =>
    one.kind === "answered" || one.kind === "withdrawn" ? [{ ...one, path: pathOf(plan, one) }] : [],
  );
  const last = happenings.at(-1);
  const isComplete = last?.kind === "ended" && last.status === "completed";
  for (const { path, by, isRecord } of promised) {
    const isThere = found.some(
      (one) => one.path === path && (one.kind === "withdrawn" || by === null || one.by === by),
    );
    // A run that fails, or is cancelled, may do so before a note is looked at.
    if (!isThere && (isRecord || isComplete))
      faults.push(`I1: the answer to ${path} by ${by ?? "somebody"} was acknowledged, and is not there`);
  }
}

/** I9 */
function checkAttempts({ slots }: Plan, { ownerships }: Track, faults: string[]): void {
  const most = new Map(slots.map(({ name, policies }) => [name, policies?.retry?.attempts ?? 1]));
  for (const { path, node, attempt } of ownerships.flatMap(({ entries }) => entries))
    if (attempt > (most.get(node) ?? 1)) faults.push(`I9: ${path} began attempt ${attempt} of ${most.get(node)}`);
}

/** I1: what was acknowledged is there, byte for byte. */
export async function checkAcknowledged(store: Backend, { id, acknowledged }: Track, faults: string[]): Promise<void> {
  const chains = new Map<number, number>();
  for await (const { firstSeq, count, chain } of store.read(id)) chains.set(firstSeq + count - 1, chain);
  for (const { seq, chain, to } of acknowledged)
    if (chains.get(seq) !== chain) faults.push(`I1: record ${seq} was acknowledged to ${to}, and is not there`);
}

/** I8: whoever read along was told the beginning of what the journal says, in its order. */
async function checkReadings(played: PlayedCase, subject: Subject, faults: string[]): Promise<void> {
  const read = played.tracks.filter(({ readings }) => readings.some(({ events }) => events.length > 0));
  if (read.length === 0) return;
  const backend = subject.wrap(played.store.another());
  const engine = await openEngine({
    backend,
    // It reads only: nothing of the graph runs.
    graphs: [runnableOf({ ...subject.plan, elsewhere: [], resources: [] })],
    recover: false,
    warn: () => undefined,
  });
  for (const { id, readings } of read) {
    const due: string[] = [];
    for await (const event of await engine.stream(id, readModes)) if (stays(event)) due.push(told(event));
    for (const { by, events } of readings) {
      const got = events.filter(stays).map(told);
      const wrong = got.findIndex((event, i) => event !== due[i]);
      if (wrong >= 0)
        faults.push(`I8: whoever read ${id} along in ${by} was told ${got[wrong]}, and the journal says ${due[wrong]}`);
    }
  }
  await engine.close();
}

/**
 * Starts of attempts are not in the journal, and neither is what an ephemeral generator gave, nor that it is void. Events of tasks are
 * told before they are recorded, or when they are.
 */
function stays(event: StreamEvent): boolean {
  const { of, reset } = event as { readonly of?: string; readonly reset?: true };
  const isOfTask = event.mode === "custom" && event.index !== undefined;
  return (
    of === undefined &&
    reset === undefined &&
    !isOfTask &&
    !(event.mode === "tasks" && (event.task === "started" || event.task === "reset"))
  );
}

/** Without its number among those of one record, in which starts are counted. */
function told(event: StreamEvent): string {
  return JSON.stringify({ ...event, part: 0 });
}
