import { deepFreeze } from "../base/freeze.ts";
import { RecordKind, type Started } from "../events/record.ts";
import type { RunTags } from "../model/tags.ts";
import type { CallerValues, RunState } from "../state/run-state.ts";
import type { Revive } from "./blobs.ts";
import { encodeAs } from "./encode-as.ts";
import type { JournalLimits } from "./limits.ts";
import type { Plan } from "../model/plan.ts";
import { namesOf } from "./lineage.ts";

/** What a run was started with besides its input. */
export interface Terms {
  readonly errors: "record" | "raise";
  /** By the names of the caller contexts; null: the graph has none. */
  readonly caller: CallerValues | null;
  /** Null: the caller gave none. */
  readonly tags: RunTags | null;
  /** Null: the run is in none. */
  readonly thread: string | null;
  /** The newest run of the thread that the caller knows; absent: none was named. */
  readonly follows?: string | null | undefined;
  /** What it wants other than the engine has it; null: nothing. */
  readonly limits: Partial<JournalLimits> | null;
}

/** What only the start of a fork says. */
export type ForkStart = Pick<Started, "forkedFrom" | "carried">;

/** The first record of a run. `input` is already encoded. */
export function startedRecord(
  plan: Plan,
  input: string,
  { errors, caller, tags, limits }: Terms,
  at: number,
  fork: ForkStart = {},
): string {
  const started: Omit<Started, "input" | "context"> = {
    format: 1,
    graph: plan.name,
    errors,
    unsafeStarts: true,
    traceId: tags?.traceId ?? undefined,
    labels: tags?.labels ?? undefined,
    limits: limits === null ? undefined : writtenLimits(limits),
    ...fork,
    at,
    ...namesOf(plan),
  };
  return `[${RecordKind.started},${JSON.stringify(started).slice(0, -1)},"input":${input}${caller === null ? "" : `,"context":${encodeAs("context", caller)}`}}]`;
}

/** JSON has no `Infinity`. */
export function writtenLimits(limits: Partial<JournalLimits>): NonNullable<Started["limits"]> {
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit === Infinity ? null : limit]));
}

export function recordedLimits({ limits }: Pick<Started, "limits">): Partial<JournalLimits> | null {
  if (limits === undefined) return null;
  return Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? Infinity]));
}

export function recordedTags({ traceId, labels }: Started): RunTags | null {
  if (traceId === undefined && labels === undefined) return null;
  if (labels !== undefined) deepFreeze(labels);
  return { traceId: traceId ?? null, labels: labels ?? null };
}

export function recordedCarry({ carried }: Started, revive: Revive): RunState["carried"] {
  if (carried === undefined) return undefined;
  const cells = revive(carried) as Readonly<Record<string, unknown>>;
  deepFreeze(cells);
  return cells;
}
