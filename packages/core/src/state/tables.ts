import type { OpSpec } from "../model/op-spec.ts";
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
  /** A sleep, a question, or the clock of a bounded call: waits, and has no body. */
  waits: 512,
  /** Its op needs resources, which may be limited. */
  needs: 1024,
  /** Its op has a total timeout. */
  total: 2048,
  /** Its op is unsafe: whether it was dispatched when something swept it makes a difference. */
  unsafe: 4096,
  /** Its output may be given out again. */
  cached: 8192,
  /** Its body does not run on this thread. */
  elsewhere: 16_384,
  /** An edge that makes a value which nobody takes when it resolves: it is read when a context closes or the run ends. */
  quiet: 32_768,
  /** A generator whose items are not recorded; none that is in the items of such a one. */
  ephemeral: 65_536,
  /** In the items of an ephemeral generator. */
  unrecorded: 131_072,
  /** Its body tells events while it runs. */
  tells: 262_144,
  /** Runs ahead of the journal, whatever the durability. */
  ahead: 524_288,
  /** Its body is told what its items came to. */
  told: 1_048_576,
} as const;

/** What its body gives before it is through is in no journal, and void when it begins again. */
export const givesUnrecorded: number = Flag.ephemeral | Flag.tells;

/**
 * The parts of a plan that every event reads, as packed tables by slot id: a step that follows objects instead waits for
 * memory most of the time, as soon as a graph is larger than the processor's first cache. Arrays of small integers: an
 * element of a typed array is several loads and a test of its buffer further away.
 */
export interface Tables {
  readonly flags: readonly number[];
  readonly locals: readonly number[];
  /** Consumers of slot `i` are `consumers[starts[i] .. starts[i + 1] - 1]`, each `slot * 2 + (after ? 1 : 0)`. */
  readonly starts: readonly number[];
  readonly consumers: readonly number[];
}

export function tablesOf(plan: Plan): Tables {
  const { slots, scopes } = plan;
  const consumers = slots.map((slot) =>
    slot.consumers.map((consumer) => consumerCode(scopes[slot.scope]?.slots ?? [], consumer)),
  );
  const starts = [0];
  const further = new Set(scopes.flatMap(({ outer }) => outer.map(({ slot }) => slot)));
  consumers.forEach((list, id) => (starts[id + 1] = (starts[id] as number) + list.length));
  return {
    flags: slots.map(
      (slot) => flagsOf(slot) | ephemeralFlags(plan, slot) | (isQuiet(slot) && !further.has(slot.id) ? Flag.quiet : 0),
    ),
    locals: slots.map((slot) => slot.local),
    starts,
    consumers: consumers.flat(),
  };
}

function consumerCode(slots: readonly number[], consumer: number): number {
  return (slots[consumer >> 1] as number) * 2 + (consumer & 1);
}

function ephemeralFlags({ scopes, streams }: Plan, { scope, stream, op }: SlotPlan): number {
  const tells = op?.around === undefined ? 0 : Flag.tells;
  if ((scopes[scope]?.ephemeral ?? -1) >= 0) return Flag.unrecorded | tells;
  return streams[stream]?.ephemeral === true ? Flag.ephemeral : tells;
}

const waits: ReadonlySet<SlotKind> = new Set([SlotKind.sleep, SlotKind.ask, SlotKind.bounded]);

function flagsOf(slot: SlotPlan): number {
  let flags = 0;
  if (slot.kind === SlotKind.op) flags |= Flag.op | opFlags(slot);
  if (waits.has(slot.kind)) flags |= Flag.waits;
  if (slot.lane >= 0) flags |= Flag.lane;
  if (slot.stream >= 0 || slot.ordered || slot.boundaries.length > 0 || givesMore(slot)) flags |= Flag.breaks;
  if (slot.watchers.length > 0) flags |= Flag.watched;
  if (slot.name !== "") flags |= Flag.named;
  return flags;
}

/** As far as its own scope goes: nobody further in may take it either. */
function isQuiet({ kind, name, consumers, watchers }: SlotPlan): boolean {
  const isValue = kind === SlotKind.derive || kind === SlotKind.record || kind === SlotKind.orElse;
  return isValue && name === "" && consumers.length === 0 && watchers.length === 0;
}

/** A block that others wait for by more than its own slot, or a feed of a zip. */
function givesMore({ kind, block, feed }: SlotPlan): boolean {
  if (feed !== null || kind === SlotKind.choose || kind === SlotKind.bounded) return true;
  return block !== null && (block.through >= 0 || block.forwards.length > 0);
}

function policyFlags({ policies, op }: SlotPlan): number {
  if (policies === null) return 0;
  let flags = policies.cache === null ? 0 : Flag.cached;
  if (policies.totalTimeout > 0) flags |= Flag.timed | Flag.total;
  // The time of a body that runs elsewhere is measured there.
  if (policies.runTimeout > 0 && op?.bound !== "cpu") flags |= Flag.timed;
  return flags;
}

/** What of its body is out of the ordinary. */
function bodyFlags({ bound, converse }: OpSpec): number {
  return (bound === "cpu" ? Flag.elsewhere : 0) | (converse === undefined ? 0 : Flag.told);
}

function effectFlags({ effect, ahead }: OpSpec): number {
  if (effect === "unsafe") return Flag.unsafe;
  if (effect !== "pure") return 0;
  return ahead === true ? Flag.pure | Flag.ahead : Flag.pure;
}

function opFlags(slot: SlotPlan): number {
  const { op, stream, resources } = slot;
  let flags = policyFlags(slot);
  if (stream >= 0) flags |= Flag.generator;
  if (op !== null) flags |= effectFlags(op) | bodyFlags(op);
  if (op !== null && (op.input !== null || op.output !== null)) flags |= Flag.validates;
  if (resources !== null) flags |= Flag.needs;
  return flags;
}
