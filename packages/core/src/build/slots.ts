import { buildError } from "../base/error.ts";
import {
  SlotKind,
  type ArmsPlan,
  type FeedPlan,
  type ZipPlan,
  type AskPlan,
  type BlockPlan,
  type CollectPlan,
  type Dependency,
  type Template,
} from "../model/plan.ts";
import type { OpSpec } from "../model/op-spec.ts";
import type { CallPolicies } from "../model/policies.ts";
import { RUN_SCOPE, type Builder, type DraftSlot, type Reads } from "./builder.ts";
import { endsOf, passedInto } from "./ends.ts";
import { feedersOf } from "./feeders.ts";
import { eachSource } from "./gather.ts";
import { isWithin, itemScopeOf } from "./scopes.ts";

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
  readonly overwrites?: boolean;
  readonly reads?: Reads | null;
  readonly ordered?: boolean;
  readonly block?: BlockPlan;
  readonly arms?: ArmsPlan;
  readonly ask?: AskPlan;
  readonly targets?: number[];
  readonly feed?: FeedPlan;
  readonly zip?: ZipPlan;
  readonly fedBy?: number[];
}

/** Appends a slot to its scope. Everything it depends on exists already, so that ids are a topological order. */
export function addSlot(builder: Builder, slot: NewSlot): DraftSlot {
  const draft = draftOf(builder, slot);
  const feeders = feedersOf(draft);
  const ends = endsOf(builder, draft.dependencies, draft.collect, feeders);
  if (ends.size > 0) refuseSelfBlocking(builder, draft, ends);
  builder.slots.push(draft);
  builder.reads.push(slot.reads ?? null);
  builder.ends.push(ends);
  builder.typed.push(typedScope(builder, draft, feeders));
  builder.scopes[draft.scope]!.slots.push(draft.id);
  return draft;
}

function draftOf(builder: Builder, slot: NewSlot): DraftSlot {
  const id = builder.slots.length;
  const inputs = slot.inputs ?? null;
  const dependencies = dependenciesOf(inputs, slot.after);
  const { name = "", fn = null, op = null, policies = null, collect = null, cell = -1, ordered = false } = slot;
  return {
    id,
    kind: slot.kind,
    scope: slot.scope,
    local: builder.scopes[slot.scope]!.slots.length,
    name,
    anchor: name === "" ? anchorOf(builder, dependencies, collect) : id,
    inputs,
    dependencies,
    fn,
    op,
    policies,
    resources: null,
    stream: -1,
    collect,
    cell,
    overwrites: slot.overwrites === true,
    ...ownParts(slot),
    lane: -1,
    laneCapacity: 1,
    ordered,
    handled: false,
    catcher: -1,
    consumers: [],
    watchers: [],
    boundaries: [],
  };
}

/** What only slots of one kind have. */
function ownParts(parts: OwnParts): Required<OwnParts> {
  const { block = null, arms = null, ask = null, targets = null, feed = null, zip = null, fedBy = null } = parts;
  return { block, arms, ask, targets, feed, zip, fedBy };
}

interface OwnParts {
  readonly block?: BlockPlan | null;
  readonly arms?: ArmsPlan | null;
  readonly ask?: AskPlan | null;
  readonly targets?: number[] | null;
  readonly feed?: FeedPlan | null;
  readonly zip?: ZipPlan | null;
  readonly fedBy?: number[] | null;
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

/** What the types of the inputs say about where the value lives; a closure may be further in than they know. */
function typedScope(builder: Builder, slot: DraftSlot, feeders: readonly number[]): number {
  if (slot.collect !== null) return itemScopeOf(builder, slot.scope);
  let typed = RUN_SCOPE;
  for (const id of [
    ...slot.dependencies.filter(({ after }) => !after).map((dependency) => dependency.slot),
    ...feeders,
  ]) {
    const from = builder.typed[id]!;
    if (isWithin(builder, from, typed)) typed = from;
  }
  return typed;
}

/**
 * A bounded stream admits an item when another closes; none closes that waits for the end of the stream, or of one that
 * passes its items on to it and is held up by it. Called again when the graph is complete: a closure may have moved into an item meanwhile.
 */
export function refuseSelfBlocking(builder: Builder, slot: DraftSlot, ends: ReadonlySet<number>): void {
  for (let at = builder.scopes[slot.scope]!; at.parent >= 0; at = builder.scopes[at.parent]!) {
    const needed = at.stream < 0 ? undefined : passedInto(builder, at.stream).find((stream) => ends.has(stream));
    if (needed === undefined) continue;
    const what = slot.name === "" ? `an edge of ${builder.slots[slot.anchor]!.name}` : slot.name;
    const { segment } = builder.streams[at.stream]!;
    const whose =
      needed === at.stream
        ? "that stream's end"
        : `the end of ${builder.streams[needed]!.segment}, whose items are passed on to it`;
    throw buildError(
      `${what} runs for every item of ${segment} but needs ${whose}: the stream would block itself`,
      "make two passes: collect the items, then start a second stream over them with each(collect(x))",
      "SelfBlockingStream",
    );
  }
}
