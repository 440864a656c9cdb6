/** What the processes said and what the store holds, judged as the cases of the simulator are. */
import { isDeepStrictEqual } from "node:util";
import { planOf } from "../../build/plan-of.ts";
import { openEngine } from "../../engine/engine.ts";
import type { RunResult } from "../../engine/api.ts";
import type { Backend, RunStatus } from "../../ports/backend.ts";
import type { Durability } from "../../runtime/outcome.ts";
import { readJournal, type StoredJournal } from "../simulate/journal.ts";
import { comparable } from "../simulate/verdict.ts";
import { checkAcknowledged, checkPromised, checkRun } from "../world/judge.ts";
import { isCrashLoop, showsOrder } from "../world/equality.ts";
import { Ownership, Track, type Promised } from "../world/track.ts";
import type { Said } from "./lines.ts";
import type { CrashRun, CrashSubject } from "./subject.ts";

/** Results of runs that nothing happened to, by id. */
export type Undisturbed = ReadonlyMap<string, RunResult<unknown>>;

export async function undisturbed(subject: CrashSubject): Promise<Undisturbed> {
  const results = new Map<string, RunResult<unknown>>();
  const compared = subject.runs.filter(({ graph }) => isCompared(graph));
  await using engine = await openEngine({ resources: subject.resources?.() ?? [], warn: () => undefined });
  for (const { id, graph, input } of compared)
    results.set(id, await (await engine.start(graph, input as never)).result());
  return results;
}

/** Nothing in its outcome shows the order of events, as far as its plan says, and it asks nobody. */
function isCompared(graph: CrashRun["graph"]): boolean {
  const plan = planOf(graph);
  return (
    showsOrder(plan, "record") === null && plan.slots.every(({ ask, op }) => ask === null && op?.effect !== "unsafe")
  );
}

export interface JudgedRun {
  readonly run: CrashRun;
  readonly track: Track;
  readonly journal: StoredJournal;
}

export interface CrashJudgement {
  readonly faults: readonly string[];
  readonly runs: readonly JudgedRun[];
}

export async function judgePlace(
  subject: CrashSubject,
  store: Backend,
  said: readonly Said[],
  due: Undisturbed,
  durability: Durability,
): Promise<CrashJudgement> {
  const faults = sharedKeys(said);
  const runs: JudgedRun[] = [];
  for (const run of subject.runs) {
    const track = trackOf(run.id, said);
    const found = [...track.faults];
    try {
      const journal = await readJournal(store, run.id);
      const plan = planOf(run.graph);
      const settings = { durability, concurrency: undefined, runConcurrency: undefined };
      // First what explains the rest: only the first faults are told.
      await checkAcknowledged(store, track, found);
      found.push(...checkRun({ plan, fickle: new Set() }, settings, true, track, journal));
      checkOwners(track, journal, found);
      checkTold(run.id, said, journal, found);
      checkPromised(plan, answersOf(run.id, said), journal, found);
      checkOutcome(journal, due.get(run.id), found);
      runs.push({ run, track, journal });
    } catch (error) {
      found.push(`I2: the journal cannot be read: ${String(error)}`);
    }
    faults.push(...found.map((fault) => `run ${run.id}: ${fault}`));
  }
  return { faults, runs };
}

/** Who had a run when, in the order of the epochs: what two processes said at one moment stands in the file in any order. */
function trackOf(id: string, said: readonly Said[]): Track {
  const track = new Track(id);
  const lines = said.filter(({ run }) => run === id);
  const begun = lines.flatMap((line) => {
    const owner = { name: `process ${line.life}`, state: "dead" } as const;
    if (line.what === "created") return [new Ownership(1, owner, 0, "running")];
    return line.what === "claimed" ? [new Ownership(line.epoch, owner, line.seq, line.status as RunStatus)] : [];
  });
  track.ownerships.push(...begun.toSorted((a, b) => a.epoch - b.epoch));
  for (const line of lines) {
    const name = `process ${line.life}`;
    if (line.what === "created" || line.what === "acknowledged")
      track.acknowledged.push({ seq: line.seq, chain: line.chain, to: name, epoch: "epoch" in line ? line.epoch : 1 });
    else if (line.what === "refused") track.refused++;
    else if (line.what === "body") addBody(track, line);
  }
  return track;
}

function addBody(track: Track, { path, node, attempt, key, epoch }: Extract<Said, { what: "body" }>): void {
  const ownership = track.ownerships.find((one) => one.epoch === epoch);
  if (ownership === undefined) track.faults.push(`I3: ${path} began under epoch ${epoch}, which nobody was given`);
  else ownership.entries.push({ path, node, attempt, key, after: null, session: 0 });
}

/** I3: no epoch is given twice, nobody writes what another one has passed, and every owner begins with its own record. */
function checkOwners({ ownerships, acknowledged }: Track, { happenings }: StoredJournal, faults: string[]): void {
  ownerships.forEach((ownership, i) => {
    const next = ownerships[i + 1];
    if (next?.epoch === ownership.epoch) faults.push(`I3: epoch ${next.epoch} was given twice`);
    const late = acknowledged.find(({ epoch, seq }) => epoch === ownership.epoch && seq > (next?.from ?? Infinity));
    if (late !== undefined && next !== undefined)
      faults.push(`I3: record ${late.seq} was acknowledged under epoch ${late.epoch} behind record ${next.from}`);
    const head = happenings[ownership.from];
    const isOwn = head?.kind === "resumed" && head.epoch >= ownership.epoch;
    if (ownership.from > 0 && head !== undefined && !isOwn)
      faults.push(`I3: behind record ${ownership.from} epoch ${ownership.epoch} began with ${head.kind}`);
  });
}

/** I1: whoever was told of an end was told the right one. */
function checkTold(id: string, said: readonly Said[], { row }: StoredJournal, faults: string[]): void {
  for (const line of said)
    if (line.what === "ended" && line.run === id && line.status !== row.status)
      faults.push(`I1: process ${line.life} said that it ended ${line.status}, and it is ${row.status}`);
  if (row.owner !== null) faults.push(`the ended run still has the owner ${row.owner}`);
}

/** What processes heard that their answers are durable: whether as a record or as a note is not known. */
function answersOf(id: string, said: readonly Said[]): Promised[] {
  return said.flatMap((line) =>
    line.what === "answered" && line.run === id ? [{ path: line.path, by: null, isRecord: false }] : [],
  );
}

/** R11 */
function checkOutcome(journal: StoredJournal, due: RunResult<unknown> | undefined, faults: string[]): void {
  const last = journal.happenings.at(-1);
  if (due === undefined || isCrashLoop(journal)) return;
  if (last?.kind !== "ended" || last.status !== due.status) {
    faults.push(`R11: the run is ${journal.row.status}, and an undisturbed one ${due.status}`);
    return;
  }
  const [got, expected] = [comparable(last.errors), comparable(due.errors)];
  if (!isDeepStrictEqual(got, expected))
    faults.push(`R11: errors ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  if (due.status === "completed" && !isDeepStrictEqual(last.output, due.output))
    faults.push(`R11: output ${JSON.stringify(last.output)}, expected ${JSON.stringify(due.output)}`);
}

/** R12, over runs. */
function sharedKeys(said: readonly Said[]): string[] {
  const owners = new Map<string, string>();
  return said.flatMap((line) => {
    if (line.what !== "body") return [];
    const what = `${line.run} ${line.path}`;
    const owner = owners.get(line.key) ?? what;
    owners.set(line.key, owner);
    return owner === what ? [] : [`R12: ${what} and ${owner} share the key ${line.key}`];
  });
}
