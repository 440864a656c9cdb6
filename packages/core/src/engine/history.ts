/** The past of a run: record by record, or as it was behind one of them. */
import { RecordKind, type At, type Ended, type GraphNames } from "../events/record.ts";
import { readHistory } from "../journal/history.ts";
import { fingerprintMismatch } from "../journal/recorded-graph.ts";
import { relive } from "../journal/relive.ts";
import { migrationFrom } from "../model/migration.ts";
import type { Plan } from "../model/plan.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import { checkSeq, isBehind } from "../journal/fork/source.ts";
import { historyCompacted, isCompacted } from "../journal/compact/compacted.ts";
import { notOvertaken } from "../journal/compact/overtaken.ts";
import { RowReader } from "../journal/rows.ts";
import { RunObserver, type Follower } from "../runtime/observe.ts";
import { interruptsOf } from "../runtime/questions.ts";
import type { RunState } from "../state/run-state.ts";
import { pathAt } from "../state/path.ts";
import type { HistoryOptions, StateOptions } from "./fork-options.ts";
import type { HistoryEntry, RunAt } from "./history-api.ts";
import { cellsOf } from "./result.ts";

/** @throws MillraceError `SeqOutOfRange` when `from` is behind the last record. */
export async function* historyOf(
  backend: Backend,
  row: RunRow,
  plan: Plan | undefined,
  { from = 1, limit = Infinity, blobs = true }: HistoryOptions,
): AsyncGenerator<HistoryEntry, void> {
  checkSeq(row, from);
  const pathOf = (names: GraphNames, slot: number, at: At): string | undefined =>
    plan !== undefined && names.fingerprint === plan.fingerprint ? pathAt(plan, slot, at) : undefined;
  let left = limit;
  for await (const record of readHistory(backend, row, { from, blobs }, pathOf)) {
    yield record as HistoryEntry;
    if (--left <= 0) return;
  }
}

/** @throws MillraceError `SeqOutOfRange`, `FingerprintMismatch` */
export async function stateAt(
  { backend, clock }: { readonly backend: Backend; readonly clock: Clock },
  row: RunRow,
  plan: Plan,
  until: number,
  { limit = 1_000 }: StateOptions,
): Promise<RunAt> {
  checkSeq(row, until);
  if (migrationFrom(plan, row.fingerprint) === null)
    throw fingerprintMismatch(row.id, row.graph, row.fingerprint, plan);
  const { seq, status } = await notOvertaken(backend, row.id, () => standingAt(backend, row, until));
  const outputs = new LatestOutputs(limit);
  let state: RunState | null = null;
  const rows = relive(backend, row, plan, { from: seq, until: seq }, (run) => {
    state = run;
    return new RunObserver([outputs], clock, run);
  });
  for await (const _ of rows);
  const run = state as unknown as RunState;
  const ended = status === "completed" ? { output: run.end?.output } : {};
  return {
    runId: row.id,
    graph: plan.name,
    seq,
    status,
    input: run.root.values[0],
    outputs: outputs.byPath,
    more: outputs.more,
    cells: cellsOf(run),
    interrupts: interruptsOf(run),
    errors: run.failures?.list() ?? [],
    ...ended,
  };
}

/** The end of the batch that record `until` is in, and the status that the records up to there give the run. */
async function standingAt(
  backend: Backend,
  row: RunRow,
  until: number,
): Promise<{ readonly seq: number; readonly status: RunAt["status"] }> {
  const reader = new RowReader(row.id);
  let seq = 0;
  let status: RunAt["status"] = "running";
  for await (const journalRow of backend.read(row.id)) {
    for (const record of reader.unpack(journalRow)) {
      if (isCompacted(record)) {
        if (until <= reader.seq) throw historyCompacted(row.id, record[1].floor, `its state at record ${until}`);
        ({ seq } = reader);
        continue;
      }
      if (seq >= until && !isBehind(record)) return { seq, status };
      seq++;
      if (record[0] === RecordKind.ended) ({ status } = record[1] as Ended);
      else if (record[0] === RecordKind.resumed) status = "running";
    }
    if (seq >= row.lastSeq) break;
  }
  return { seq, status };
}

/** What named nodes gave, the latest of it. */
class LatestOutputs implements Follower {
  readonly #limit: number;
  readonly #latest: Map<string, unknown> = new Map();
  more = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  finished({ kind, path, value }: Parameters<NonNullable<Follower["finished"]>>[0]): void {
    if (kind === "input" || value === undefined) return;
    this.#latest.set(path, value);
    if (this.#latest.size <= this.#limit) return;
    const [oldest] = this.#latest.keys();
    this.#latest.delete(oldest as string);
    this.more++;
  }

  get byPath(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#latest);
  }
}
