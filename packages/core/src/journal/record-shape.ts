/** Which records a node can have: what tells a node that changed its kind, though its name is the same. */
import { RecordKind } from "../events/record.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";
import type { RecordedGraph } from "./recorded-graph.ts";
import type { RawRecord } from "./rows.ts";

const isOp = ({ kind }: SlotPlan): boolean => kind === SlotKind.op;
const isStream = (slot: SlotPlan): boolean => isOp(slot) && slot.stream >= 0;
const waitsForAnswer = (slot: SlotPlan): boolean => isOp(slot) || slot.kind === SlotKind.ask;

const fits: Readonly<Partial<Record<RecordKind, (slot: SlotPlan) => boolean>>> = {
  [RecordKind.output]: (slot) => isOp(slot) && slot.stream < 0,
  [RecordKind.frame]: isStream,
  [RecordKind.eof]: isStream,
  [RecordKind.settled]: (slot) => isStream(slot) && slot.op?.onResume === "ephemeral",
  [RecordKind.brokenOff]: (slot) => isStream(slot) && slot.op?.onResume === "ephemeral",
  [RecordKind.timerSet]: ({ kind }) => kind === SlotKind.sleep || kind === SlotKind.bounded,
  [RecordKind.fired]: ({ kind }) => kind === SlotKind.sleep,
  [RecordKind.asked]: waitsForAnswer,
  [RecordKind.answered]: waitsForAnswer,
  [RecordKind.deadlineSet]: isOp,
  [RecordKind.unsafeStart]: isOp,
};

export function fitsKind(record: RawRecord, slot: SlotPlan): boolean {
  return fits[record[0] as RecordKind]?.(slot) ?? true;
}

/** How many indices stand in the address of a context of that scope. */
export function depthOf(plan: Plan, scope: number): number {
  let depth = 0;
  for (let at = plan.scopes[scope]; at !== undefined && at.parent >= 0; at = plan.scopes[at.parent])
    if (at.kind !== "arm") depth++;
  return depth;
}

const ofNodes: ReadonlySet<unknown> = new Set<unknown>([
  ...Object.keys(fits).map(Number),
  RecordKind.attemptFailed,
  RecordKind.dropped,
  RecordKind.decision,
  RecordKind.withdrawn,
]);

/** Of a node that is gone on purpose. */
export function isOfRemoved(record: RawRecord, graph: RecordedGraph): boolean {
  return ofNodes.has(record[0]) && graph.isRemoved(record[1] as number);
}
