import { deepFreeze } from "../base/freeze.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { RunTags } from "../model/tags.ts";
import type { CallerValues } from "../state/run-state.ts";
import { encodeAs } from "./encode-as.ts";
import type { Plan } from "../model/plan.ts";
import { namesOf } from "./recorded-graph.ts";

/** What a run was started with besides its input. */
export interface Terms {
  readonly errors: "record" | "raise";
  /** By the names of the caller contexts; null: the graph has none. */
  readonly caller: CallerValues | null;
  /** Null: the caller gave none. */
  readonly tags: RunTags | null;
}

/** The first record of a run. `input` is already encoded. */
export function startedRecord(plan: Plan, input: string, { errors, caller, tags }: Terms, at: number): string {
  const started: Omit<Started, "input" | "context"> = {
    format: 1,
    graph: plan.name,
    errors,
    unsafeStarts: true,
    traceId: tags?.traceId ?? undefined,
    labels: tags?.labels ?? undefined,
    at,
    ...namesOf(plan),
  };
  return `[${RecordKind.started},${JSON.stringify(started).slice(0, -1)},"input":${input}${caller === null ? "" : `,"context":${encodeAs("context", caller)}`}}]`;
}

export function recordedTags({ traceId, labels }: Started): RunTags | null {
  if (traceId === undefined && labels === undefined) return null;
  if (labels !== undefined) deepFreeze(labels);
  return { traceId: traceId ?? null, labels: labels ?? null };
}
