import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";
import { namesOf } from "./recorded-graph.ts";

/** The first record of a run. `input` is already encoded. */
export function startedRecord(plan: Plan, input: string, errors: "record" | "raise", at: number): string {
  const started: Omit<Started, "input"> = { format: 1, graph: plan.name, errors, at, ...namesOf(plan) };
  return `[${RecordKind.started},${JSON.stringify(started).slice(0, -1)},"input":${input}}]`;
}
