import type { StateSnapshot } from "@langchain/langgraph";
import type { Json, Patch } from "../format/json.ts";
import type { CheckpointRecord, HeadRecord, PendingRecord } from "../format/vector.ts";
import { sorted } from "../interpreter/canonical.ts";
import { messageOf } from "./messages.ts";
import { listed } from "./steps.ts";

/** `order`: ids of the thread's checkpoints as they were saved. */
export function checkpointOf(snapshot: StateSnapshot, order: readonly string[]): CheckpointRecord {
  const seqOf = (config: StateSnapshot["config"] | undefined): number =>
    order.indexOf(String(config?.configurable?.["checkpoint_id"]));
  const parent = seqOf(snapshot.parentConfig);
  return {
    seq: seqOf(snapshot.config),
    parent: parent === -1 ? null : parent,
    step: snapshot.metadata?.step ?? -1,
    source: snapshot.metadata?.source ?? "input",
    values: snapshot.values as Patch,
    next: sorted(snapshot.next),
    pending: sorted(snapshot.tasks.map(pendingOf)),
  };
}

/** An answer takes the question from the thread, and leaves it in the history. */
export function headOf(snapshot: StateSnapshot, order: readonly string[]): HeadRecord {
  return { ...checkpointOf(snapshot, order), waiting: snapshot.tasks.some(({ interrupts }) => interrupts.length > 0) };
}

function pendingOf({ name, interrupts, error, ...task }: StateSnapshot["tasks"][number]): PendingRecord {
  const { result } = task as { readonly result?: Readonly<Record<string, Json>> };
  return {
    node: name,
    ...(interrupts.length > 0 && { asked: interrupts.map(({ value }) => value as Json) }),
    ...(error !== undefined && error !== null && { error: messageOf(error) }),
    ...(result !== undefined && result !== null && { wrote: listed(result) }),
  };
}
