import { RecordKind, type Started } from "../events/record.ts";
import type { CallerValues } from "../state/run-state.ts";
import { encodeAs } from "./encode-as.ts";
import type { Plan } from "../model/plan.ts";
import { namesOf } from "./recorded-graph.ts";

/** The first record of a run. `input` is already encoded. */
export function startedRecord(
  plan: Plan,
  input: string,
  errors: "record" | "raise",
  at: number,
  caller: CallerValues | null,
): string {
  const started: Omit<Started, "input" | "context"> = { format: 1, graph: plan.name, errors, at, ...namesOf(plan) };
  return `[${RecordKind.started},${JSON.stringify(started).slice(0, -1)},"input":${input}${caller === null ? "" : `,"context":${encodeAs("context", caller)}`}}]`;
}
