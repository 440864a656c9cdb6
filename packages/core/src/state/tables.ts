import type { CallPolicies } from "../model/policies.ts";
import { SlotKind, type Plan, type SlotPlan } from "../model/plan.ts";

/** What the hot path must know of a slot before it touches the slot itself. */
export const Flag = {
  op: 1,
  generator: 2,
  /** Goes through a lane. */
  lane: 4,
  /** Something happens when it resolves without a value: it is the source of a stream, ordered, a block, a feed, or a subgraph's result. */
  breaks: 8,
  /** A slot of the scope around takes it: a collector, a `taken`, a race. */
  watched: 16,
  named: 32,
  pure: 64,
  /** Its op has an input or output schema. */
  validates: 128,
  /** Its op has a run timeout, which counts from the call of the body. */
  timed: 256,
  /** A sleep or a question: waits, and has no body. */
  waits: 512,
  /** Its output may be given out again. */
  cached: 1024,
  /** Its body does not run on this thread. */
  elsewhere: 2048,
} as const;

/**
 * The parts of a plan that every event reads, as packed tables by slot id: a step that follows objects instead waits for
 * memory most of the time, as soon as a graph is larger than the processor's first cache.
 */
export interface Tables {
  readonly flags: Uint16Array;
  readonly locals: Int32Array;
  /** Consumers of slot `i` are `consumers[starts[i] .. starts[i + 1] - 1]`, each `slot * 2 + (after ? 1 : 0)`. */
  readonly starts: Int32Array;
  readonly consumers: Int32Array;
}

export function tablesOf(plan: Plan): Tables {
  const { slots, scopes } = plan;
  const consumers = slots.map((slot) =>
    slot.consumers.map((consumer) => consumerCode(scopes[slot.scope]?.slots ?? [], consumer)),
  );
  const starts = new Int32Array(slots.length + 1);
  consumers.forEach((list, id) => (starts[id + 1] = (starts[id] as number) + list.length));
  return {
    flags: Uint16Array.from(slots, flagsOf),
    locals: Int32Array.from(slots, (slot) => slot.local),
    starts,
    consumers: Int32Array.from(consumers.flat()),
  };
}

function consumerCode(slots: readonly number[], consumer: number): number {
  return (slots[consumer >> 1] as number) * 2 + (consumer & 1);
}

function flagsOf(slot: SlotPlan): number {
  let flags = 0;
  if (slot.kind === SlotKind.op) flags |= Flag.op | opFlags(slot);
  if (slot.kind === SlotKind.sleep || slot.kind === SlotKind.ask) flags |= Flag.waits;
  if (slot.lane >= 0) flags |= Flag.lane;
  if (slot.stream >= 0 || slot.ordered || slot.boundaries.length > 0 || slot.kind === SlotKind.choose)
    flags |= Flag.breaks;
  if (slot.watchers.length > 0) flags |= Flag.watched;
  if (slot.name !== "") flags |= Flag.named;
  return flags;
}

function opFlags({ op, policies, stream }: SlotPlan): number {
  let flags = 0;
  if (stream >= 0) flags |= Flag.generator;
  if (op?.effect === "pure") flags |= Flag.pure;
  if (op !== null && (op.input !== null || op.output !== null)) flags |= Flag.validates;
  if (op?.bound === "cpu") flags |= Flag.elsewhere;
  if (policies !== null) flags |= policyFlags(policies, op?.bound === "cpu");
  return flags;
}

function policyFlags({ runTimeout, cache }: CallPolicies, elsewhere: boolean): number {
  return (runTimeout > 0 && !elsewhere ? Flag.timed : 0) | (cache === null ? 0 : Flag.cached);
}
