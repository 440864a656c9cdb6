/**
 * Looks for runs that are damaged, and for runs that nobody will ever wake. Reads every journal to its end, changes
 * nothing, and needs neither the graphs nor an engine.
 *
 * I7   Every run that has not ended has somebody who wakes it: a live owner, the queue, a due time, an open question, or
 *      the person who holds it.
 * I12  What a run's row says is what its journal says.
 */
import { MillraceError } from "../base/error.ts";
import { endedStatuses, type Backend, type RunFilter, type RunRow, type RunStatus } from "../ports/backend.ts";
import { allRuns } from "./all-runs.ts";
import { foldJournal, type Folded } from "./fold.ts";

export interface RunProblem {
  readonly runId: string;
  readonly graph: string;
  readonly status: RunStatus;
  /**
   * `journal`: a checksum, a missing record, a missing blob, or a row that says something else (I12); `orphaned`: its
   * owner is dead, and no engine has taken it over yet; `asleep`: it rests, and nothing will wake it (I7); `unread`: it
   * rests, and did not take up what was said to it (B9).
   */
  readonly kind: "journal" | "orphaned" | "asleep" | "unread";
  readonly detail: string;
  readonly hint: string;
  /** That it be queued again mends it, and cannot harm it. */
  readonly requeue: boolean;
}

export interface CheckedRuns {
  readonly runs: number;
  readonly problems: number;
}

/**
 * Tells `found` of every problem as it comes, and `checked` of every run that was looked through.
 *
 * @throws what the backend throws; a run that is damaged is a problem, and the others are looked through.
 */
export async function checkRuns(
  backend: Backend,
  { filter = {}, found, checked }: CheckRunsOptions,
): Promise<CheckedRuns> {
  let runs = 0;
  let problems = 0;
  for await (const row of allRuns(backend, filter)) {
    const problem = await checkSettled(backend, row);
    runs += 1;
    checked?.(runs);
    if (problem === undefined) continue;
    problems += 1;
    await found(problem);
  }
  return { runs, problems };
}

export interface CheckRunsOptions {
  /** Only these runs. Default: all. */
  readonly filter?: Pick<RunFilter, "graph" | "status" | "labels" | "thread">;
  readonly found: (problem: RunProblem) => unknown;
  readonly checked?: (runs: number) => unknown;
}

/** More often than this a run does not change while it is looked at, or it is well. */
const looks = 5;

/** A run that goes on, or is deleted, while it is looked at is looked at again. */
async function checkSettled(backend: Backend, first: RunRow): Promise<RunProblem | undefined> {
  let row = first;
  for (let look = 1; ; look++) {
    const problem = await checkRun(backend, row);
    if (problem === undefined) return undefined;
    const now = await backend.get(row.id);
    if (now === undefined) return undefined;
    if (isSame(now, row) || look === looks) return problem;
    row = now;
  }
}

function isSame(a: RunRow, b: RunRow): boolean {
  return a.epoch === b.epoch && a.lastSeq === b.lastSeq && a.status === b.status && a.owner === b.owner;
}

async function checkRun(backend: Backend, row: RunRow): Promise<RunProblem | undefined> {
  const { id: runId, graph, status } = row;
  try {
    const folded = await foldJournal(backend, row);
    const trouble = await asleep(backend, row, folded);
    return trouble === undefined ? undefined : { runId, graph, status, ...trouble, requeue: true };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    const { message, hint = "restore it from a backup" } = error;
    return { runId, graph, status, kind: "journal", detail: message.split("\n")[0]!, hint, requeue: false };
  }
}

type Trouble = Pick<RunProblem, "kind" | "detail" | "hint">;

/** Of these a person decides. */
const held: ReadonlySet<RunStatus> = new Set<RunStatus>(["queued", "drained", "quarantined", "needs_review"]);

/** I7 */
async function asleep(backend: Backend, row: RunRow, { interrupts }: Folded): Promise<Trouble | undefined> {
  if (endedStatuses.has(row.status) || held.has(row.status) || (await isDriven(backend, row))) return undefined;
  if (row.status === "running") return orphaned(row);
  const [note] = await backend.inbox(row.id);
  if (note !== undefined)
    return {
      kind: "unread",
      detail: `it rests over a note that nobody took up: ${note.kind} by ${note.by ?? "somebody"}`,
      hint: "queue it again, so that an engine takes it up",
    };
  if (row.wakeAt !== null || interrupts.length > 0) return undefined;
  return {
    kind: "asleep",
    detail: "it is interrupted, and has neither an open question nor a time at which it goes on",
    hint: "queue it again, or resume it",
  };
}

async function isDriven(backend: Backend, { owner }: RunRow): Promise<boolean> {
  return owner !== null && (await backend.living([owner])).length > 0;
}

function orphaned({ owner }: RunRow): Trouble {
  return {
    kind: "orphaned",
    detail:
      owner === null
        ? "it is running, and its engine gave it up"
        : `it is running, and its engine ${owner} does not live any more`,
    hint: "an engine that has its graph takes it over when it opens; or resume it",
  };
}
