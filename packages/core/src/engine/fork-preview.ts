/** What a fork would keep and what it would do: it is brought to where it begins, in memory, and not made. */
import { RecordKind, type At } from "../events/record.ts";
import { isEnd, placeKey } from "../journal/fork/select.ts";
import { readSource } from "../journal/fork/source.ts";
import type { RawRecord } from "../journal/rows.ts";
import type { SlotPlan } from "../model/plan.ts";
import type { RunRow } from "../ports/backend.ts";
import { openInvocations } from "../state/invocations.ts";
import { nodePath } from "../state/path.ts";
import { Todo } from "../state/pending.ts";
import { programOf } from "../state/program.ts";
import { RunState } from "../state/run-state.ts";
import type { Fork } from "./fork.ts";
import type { ForkPreview } from "./history-api.ts";

/** Paths beyond it are counted. */
const mostStarts = 1_000;

export async function previewOf(fork: Fork, row: RunRow, at: number): Promise<ForkPreview> {
  const { backend, plan, terms, source, given } = fork;
  const state = new RunState(programOf(plan), { runId: row.id }, terms.errors === "raise");
  state.journaled = true;
  state.callerValues = terms.caller;
  state.tags = terms.tags;
  const records = fork.begin(state, at).map((text) => JSON.parse(text) as RawRecord);
  const places = new Set(records.map(ownRecord).filter(isEnd).map(keyOf));
  const patched = new Set(given.map(({ slot, at }) => placeKey(slot.id, at)));
  const kept = new Map<string, number>();
  const again = new Map<string, number>();
  const all = row.lastSeq === source.seq ? source : await readSource(backend, row, plan, row.lastSeq);
  const seen = new Set<string>();
  for (const { record } of all.records) {
    const key = keyOf(record);
    if (!isEnd(record) || patched.has(key) || seen.has(key)) continue;
    seen.add(key);
    const { name } = plan.slots[record[1] as number] as SlotPlan;
    const counts = places.has(key) ? kept : again;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const counted = { kept: Object.fromEntries(kept), again: Object.fromEntries(again) };
  return { runId: row.id, graph: plan.name, seq: source.seq, ...counted, ...startsOf(state) };
}

/** What stands in a note for later is a record like any other. */
function ownRecord(record: RawRecord): RawRecord {
  return record[0] === RecordKind.kept ? record.slice(1) : record;
}

function keyOf([, slot, at]: RawRecord): string {
  return placeKey(slot as number, at as At);
}

function startsOf(state: RunState): Pick<ForkPreview, "starts" | "more" | "ends"> {
  const { end } = state;
  const open = end === null ? openInvocations(state).filter(({ todo }) => todo !== Todo.none) : [];
  const starts = open.slice(0, mostStarts).map(({ context, id }) => nodePath(state.program.plan, context, id));
  return { starts, more: open.length - starts.length, ...(end !== null && { ends: end.status }) };
}
