/**
 * Would the runs that have not ended go on with this code? Their journals are replayed in memory: edges and reducers run
 * again, as on every resume; bodies do not, and nothing is claimed or written.
 */
import { planOf } from "../build/plan-of.ts";
import { MillraceError } from "../base/error.ts";
import type { Runnable } from "../model/op.ts";
import type { Plan } from "../model/plan.ts";
import {
  endedStatuses,
  openStatuses,
  type Backend,
  type JournalRow,
  type RunRow,
  type RunStatus,
} from "../ports/backend.ts";
import { allRuns } from "./all-runs.ts";
import { rebuildRun } from "./rebuild.ts";
import type { JournalSource } from "./replay-rows.ts";
import { namesOf } from "./lineage.ts";
import { graphIn } from "./recorded-graph.ts";
import { RowReader } from "./rows.ts";
import { isUnreadable } from "./unreadable.ts";

export interface RunVerdict {
  readonly runId: string;
  readonly graph: string;
  readonly status: RunStatus;
  /**
   * `fits`: it goes on. `migrates`: it goes on because of what the graph's `migrate` says. `changed`: the fingerprint is another, and it is refused unless the change is allowed. `breaks`: the
   * fingerprint is the same, or one that `migrate` speaks of, and yet its journal does not fit. `damaged`: its journal cannot be read, whatever the code.
   * `unknown`: no graph of its name was given.
   */
  readonly verdict: "fits" | "migrates" | "changed" | "breaks" | "damaged" | "unknown";
  /** Why, but for what fits or is unknown. */
  readonly code?: string;
  readonly detail?: string;
  /** Of a changed graph: nodes that the run knows and the graph does not have, and the other way round. */
  readonly gone?: readonly string[];
  readonly added?: readonly string[];
  /** Of a changed graph: what is said when the change is allowed; absent: then it goes on. */
  readonly refusal?: string;
}

/** Each run that has not ended, newest first; `graphs` are the code that would go on with them. */
export async function* checkAgainst(
  backend: Backend,
  graphs: readonly Runnable<never, unknown>[],
): AsyncGenerator<RunVerdict, void, undefined> {
  const plans = new Map(graphs.map((graph) => [planOf(graph).name, planOf(graph)]));
  for await (const row of allRuns(backend, { status: openStatuses })) {
    const verdict = await verdictOf(backend, row, plans.get(row.graph));
    // It may have been deleted, or come to its end, while it was read.
    const now = verdict.verdict === "damaged" ? await backend.get(row.id) : row;
    if (now === undefined || endedStatuses.has(now.status)) continue;
    yield { runId: row.id, graph: row.graph, status: row.status, ...verdict };
  }
}

type Verdict = Omit<RunVerdict, "runId" | "graph" | "status">;

async function verdictOf(backend: Backend, row: RunRow, plan: Plan | undefined): Promise<Verdict> {
  if (plan === undefined) return { verdict: "unknown" };
  const source = upTo(backend, row);
  const refusal = await replay(source, row, plan, false);
  if (refusal === null) return { verdict: row.fingerprint === plan.fingerprint ? "fits" : "migrates" };
  const said = saidBy(refusal);
  if (isUnreadable(refusal)) return { verdict: "damaged", ...said };
  if (said.code !== "FingerprintMismatch") return { verdict: "breaks", ...said };
  // The mismatch is found at the first record: only this one reads to the end.
  const allowed = await replay(source, row, plan, true);
  const refused = allowed === null ? {} : { refusal: saidBy(allowed).detail };
  if (isUnreadable(allowed)) return { verdict: "damaged", ...saidBy(allowed) };
  const { gone, added } = await difference(source, row, plan);
  return { verdict: "changed", ...said, gone, added, ...refused };
}

function saidBy({ code, message }: MillraceError): { readonly code: string; readonly detail: string } {
  return { code, detail: message.split("\n")[0]! };
}

/** A run that goes on is looked at as it stood when its row was read. */
function upTo(backend: Backend, { lastSeq }: RunRow): JournalSource {
  return {
    carried: (thread, last) => backend.carried(thread, last),
    getBlob: (hash) => backend.getBlob(hash),
    async *read(runId, fromSeq): AsyncGenerator<JournalRow, void, undefined> {
      for await (const row of backend.read(runId, fromSeq)) {
        if (row.firstSeq > lastSeq) return;
        yield row;
      }
    },
  };
}

async function replay(
  source: JournalSource,
  row: RunRow,
  plan: Plan,
  allowGraphChange: boolean,
): Promise<MillraceError | null> {
  try {
    // From the first record on that there is: a snapshot would hide what the code makes of the others.
    const options = { allowGraphChange, owned: false, probe: null, check: null };
    await rebuildRun(source, { ...row, snapshotSeq: undefined }, plan, options);
    return null;
  } catch (error) {
    if (error instanceof MillraceError) return error;
    throw error;
  }
}

async function difference(
  source: JournalSource,
  row: RunRow,
  plan: Plan,
): Promise<{ gone: string[]; added: string[] }> {
  const recorded = new Set<string>();
  const reader = new RowReader(row.id);
  for await (const journalRow of source.read(row.id)) {
    if (journalRow.firstSeq > row.lastSeq) break;
    for (const record of reader.unpack(journalRow)) {
      const names = graphIn(record);
      if (names === undefined) continue;
      recorded.clear();
      for (const [, name] of names.nodes) recorded.add(name);
    }
  }
  const present = new Set(namesOf(plan).nodes.map(([, name]) => name));
  return { gone: [...recorded.difference(present)], added: [...present.difference(recorded)] };
}
