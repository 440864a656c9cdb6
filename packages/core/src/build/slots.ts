import { buildError } from "../base/error.ts";
import { SlotKind, type CollectPlan, type Dependency, type Template } from "../model/plan.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { CallPolicies } from "../model/policies.ts";
import type { Builder, DraftSlot, Reads } from "./builder.ts";
import { eachSource } from "./gather.ts";

const NO_ENDS: ReadonlySet<number> = new Set();

/** What is particular to a new slot; the rest is derived. */
export interface NewSlot {
  readonly kind: SlotKind;
  readonly scope: number;
  /** Scoped name; absent for edges. */
  readonly name?: string;
  readonly inputs?: Template | null;
  /** Slots to wait for, in this scope or an ancestor's. */
  readonly after?: readonly number[];
  readonly fn?: ((...values: never[]) => unknown) | null;
  readonly op?: OpSpec;
  readonly policies?: CallPolicies;
  readonly collect?: CollectPlan;
  readonly cell?: number;
  readonly reads?: Reads | null;
  readonly ordered?: boolean;
}

/** Appends a slot to its scope. Everything it depends on exists already, so that ids are a topological order. */
export function addSlot(builder: Builder, slot: NewSlot): DraftSlot {
  const id = builder.slots.length;
  const scope = builder.scopes[slot.scope]!;
  const inputs = slot.inputs ?? null;
  const dependencies = dependenciesOf(inputs, slot.after);
  const { name = "", fn = null, op = null, policies = null, collect = null, cell = -1, ordered = false } = slot;
  const draft: DraftSlot = {
    id,
    kind: slot.kind,
    scope: slot.scope,
    local: scope.slots.length,
    name,
    anchor: name === "" ? anchorOf(builder, dependencies, collect) : id,
    inputs,
    dependencies,
    fn,
    op,
    policies,
    stream: -1,
    collect,
    cell,
    lane: -1,
    laneCapacity: 1,
    ordered,
    handled: false,
    consumers: [],
    watchers: [],
    boundaries: [],
  };
  const ends = endsOf(builder, dependencies, collect);
  if (ends.size > 0) refuseSelfBlocking(builder, draft, ends);
  builder.slots.push(draft);
  builder.reads.push(slot.reads ?? null);
  builder.ends.push(ends);
  scope.slots.push(id);
  return draft;
}

function dependenciesOf(inputs: Template | null, after: readonly number[] | undefined): Dependency[] {
  const dependencies: Dependency[] = [];
  const add = (slot: number, isAfter: boolean): void => {
    if (!dependencies.some((other) => other.slot === slot)) dependencies.push({ slot, after: isAfter });
  };
  if (inputs !== null) eachSource(inputs, (source) => add(source.slot, false));
  if (after !== undefined) for (const slot of after) add(slot, true);
  return dependencies;
}

/** The nearest named source; the graph's input only when there is no other. */
function anchorOf(builder: Builder, dependencies: readonly Dependency[], collect: CollectPlan | null): number {
  if (collect !== null) return builder.slots[collect.watch]!.anchor;
  for (const { slot } of dependencies) {
    const { anchor } = builder.slots[slot]!;
    if (builder.slots[anchor]!.kind !== SlotKind.input) return anchor;
  }
  return 0;
}

function endsOf(
  builder: Builder,
  dependencies: readonly Dependency[],
  collect: CollectPlan | null,
): ReadonlySet<number> {
  let ends = NO_ENDS;
  for (const { slot } of dependencies) ends = union(ends, endsBehind(builder, slot));
  if (collect === null) return ends;
  ends = union(ends, builder.ends[collect.watch]!);
  ends = union(ends, builder.ends[builder.streams[collect.stream]!.source]!);
  return union(ends, new Set([collect.stream]));
}

/** A generator's return value comes with the end of its stream. */
function endsBehind(builder: Builder, slot: number): ReadonlySet<number> {
  const { kind, stream } = builder.slots[slot]!;
  const ends = builder.ends[slot]!;
  return kind === SlotKind.op && stream >= 0 ? union(ends, new Set([stream])) : ends;
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  if (b.size === 0 || a === b) return a;
  if (a.size === 0) return b;
  return new Set([...a, ...b]);
}

/** A bounded stream admits an item when another closes; none closes that waits for the end of the stream. */
function refuseSelfBlocking(builder: Builder, slot: DraftSlot, ends: ReadonlySet<number>): void {
  for (let at = builder.scopes[slot.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) {
    if (!ends.has(at.stream)) continue;
    const what = slot.name === "" ? `an edge of ${builder.slots[slot.anchor]!.name}` : slot.name;
    throw buildError(
      `${what} runs for every item of ${builder.streams[at.stream]!.segment} but needs that stream's end: the stream would block itself`,
      "make two passes: collect the items, then start a second stream over them with each(collect(x))",
    );
  }
}
