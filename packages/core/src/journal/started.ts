import { RecordKind, type Started } from "../events/record.ts";
import type { Plan } from "../model/plan.ts";

/** The first record of a run. `input` is already encoded. */
export function startedRecord(plan: Plan, input: string, errors: "record" | "raise", at: number): string {
  const nodes = plan.slots.filter((slot) => slot.name !== "").map((slot) => [slot.id, slot.name] as const);
  const started: Omit<Started, "input"> = { format: 1, graph: plan.name, fingerprint: plan.fingerprint, errors, at, nodes };
  return `[${RecordKind.started},${JSON.stringify(started).slice(0, -1)},"input":${input}}]`;
}
