/**
 * What a state is made of, one description per class, read in both directions. The compiler asks for a line when a class
 * gets a field.
 */
import type { BlockPlan, ScopePlan, SlotPlan, StreamPlan } from "../../model/plan.ts";
import { joined } from "../../scheduler/open-forward.ts";
import { BlockInstance } from "../../state/block.ts";
import { CollectState } from "../../state/collect.ts";
import { Context, freed } from "../../state/context.ts";
import type { Failure } from "../../state/failure.ts";
import { Relay, Zip, type Parcel } from "../../state/forward.ts";
import type { OpenItems } from "../../state/open-items.ts";
import { Pending } from "../../state/pending.ts";
import type { Program } from "../../state/program.ts";
import { isBroken } from "../../state/resolution.ts";
import { StreamInstance } from "../../state/stream.ts";
import {
  data,
  entries,
  inPlace,
  listOf,
  maybe,
  node,
  nodes,
  one,
  plain,
  sparse,
  type Field,
  type FieldsOf,
} from "./fields.ts";
import { gaps, laneField, todo, zipState } from "./parts.ts";
import type { StateWriter } from "./state-writer.ts";

/** A class whose objects refer to each other. */
export interface NodeKind<T extends object> {
  /** What its constructor is told, from the object. */
  head(object: T): unknown;
  make(program: Program, head: never): T;
  readonly fields: Readonly<Record<string, Field<unknown, T>>>;
}

function kind<T extends object, Head, Given extends keyof T = never>(
  head: (object: T) => Head,
  make: (program: Program, head: Head) => T,
  fields: FieldsOf<T, Given>,
): NodeKind<T> {
  return { head, make: make, fields: fields };
}

/** What is in a slot: the state says whether it is a value of user code. */
const slotValues: Field<unknown[], Context> = {
  save(writer, values, { states }) {
    return values.flatMap((value, local) =>
      value === undefined ? [] : [[local, ...valueIn(writer, states[local] as number, value)]],
    );
  },
  load(reader, saved, { states }) {
    if (states === freed) return freed;
    const values: unknown[] = states.map(() => undefined);
    for (const [local, form, id] of saved as [number, unknown, number?][])
      values[local] = id === undefined ? reader.data(form) : reader.node(id);
    return values;
  },
};

function valueIn(writer: StateWriter, state: number, value: unknown): unknown[] {
  if (isBroken(state)) return [0, writer.node(failureKind, value as Failure)];
  const known = kindOf(value);
  return known === undefined ? [writer.data(value)] : [0, writer.node(known, value as object)];
}

/** States of a closed context are the one empty list. */
const states: Field<number[], Context> = {
  save: (_, value) => (value === freed ? 0 : value.slice()),
  load: (_, saved) => (saved === 0 ? freed : (saved as number[])),
};

export const contextKind: NodeKind<Context> = kind<Context, readonly number[], "scope" | "index">(
  ({ scope, index }) => [scope.id, index],
  ({ scopes }, [scope = 0, index = 0]) => new Context(scopes[scope] as ScopePlan, [], [], null, null, index),
  {
    parent: node(() => contextKind),
    stream: node(() => streamKind),
    block: node(() => blockKind),
    states,
    values: slotValues,
    open: plain,
    holds: plain,
    closed: plain,
    abandoned: plain,
    started: plain,
    waiters: maybe(
      entries(
        listOf({
          save: (writer, { context, slot, after }) => [writer.node(contextKind, context), slot, after],
          load: (reader, saved) => {
            const [context, slot, after] = saved as [number, number, boolean];
            return { context: reader.node(context) as Context, slot, after };
          },
        }),
      ),
    ),
    streams: maybe(nodes(() => streamKind)),
    blocks: maybe(nodes(() => blockKind)),
    previous: node(() => contextKind),
    next: node(() => contextKind),
  },
);

const nothing: Field<unknown> = { save: () => 0, load: () => null };

export const pendingKind: NodeKind<Pending> = kind<Pending, number, "slot" | "flags" | "id" | "local">(
  ({ id }) => id,
  ({ slots, tables }, id) =>
    new Pending(
      undefined as unknown as Context,
      slots[id] as SlotPlan,
      id,
      tables.locals[id] as number,
      tables.flags[id] as number,
      undefined,
    ),
  {
    context: one(() => contextKind),
    input: data,
    attempt: plain,
    todo,
    due: plain,
    yielded: plain,
    seq: plain,
    next: nothing as Field<Pending["next"]>,
    body: nothing,
  },
);

const blockKind: NodeKind<BlockInstance> = kind<BlockInstance, number, "slot" | "plan">(
  ({ slot }) => slot.id,
  ({ slots }, id) =>
    new BlockInstance(
      slots[id] as SlotPlan,
      (slots[id] as SlotPlan).block as BlockPlan,
      undefined as unknown as Context,
    ),
  {
    owner: one(() => contextKind),
    children: nodes(() => contextKind),
    failures: maybe(nodes(() => failureKind)),
    decided: plain,
    winner: node(() => contextKind),
    gave: plain,
    abandoned: plain,
  },
);

const items = listOf(node(() => contextKind));
const lane = laneField(one(() => contextKind));

/** Read again from the items, and only while a journal is replayed. */
const byIndex: Field<OpenItems | null, StreamInstance> = {
  save: () => 0,
  load: () => null,
};

const streamKind: NodeKind<StreamInstance> = kind<StreamInstance, number, "plan">(
  ({ plan }) => plan.id,
  ({ plan }, id) => new StreamInstance(plan.streams[id] as StreamPlan, undefined as unknown as Context, null, []),
  {
    owner: one(() => contextKind),
    list: data as Field<StreamInstance["list"]>,
    producer: node(() => pendingKind),
    yielded: plain,
    openItems: plain,
    waiting: plain,
    ended: plain,
    forward: {
      save: (writer, forward) => (forward === null ? 0 : writer.node(kindOf(forward) as NodeKind<object>, forward)),
      load: (reader, id) => reader.node(id as number) as StreamInstance["forward"],
    },
    failing: node(() => failureKind),
    failure: node(() => failureKind),
    dropped: plain,
    first: node(() => contextKind),
    last: node(() => contextKind),
    // From format 4 on without those that there are not.
    lanes: sparse(lane),
    collects: nodes(() => collectKind),
    byIndex,
    // From format 3 on: behind all others.
    region: nothing as Field<StreamInstance["region"]>,
  },
);

export const collectKind: NodeKind<CollectState> = kind<CollectState, number, "slot">(
  ({ slot }) => slot.id,
  ({ slots }, id) => new CollectState(slots[id] as SlotPlan),
  {
    left: plain,
    fired: plain,
    items: data as Field<unknown[]>,
    omissions: plain,
    failure: node(() => failureKind),
    failureIndex: plain,
    accumulator: data,
    next: plain,
    early: maybe(
      entries({
        save: (writer, { item, state, value }) => [
          writer.node(contextKind, item),
          state,
          ...valueIn(writer, state, value),
        ],
        load: (reader, saved) => {
          const [item, state, form, id] = saved as [number, number, unknown, number?];
          const value = id === undefined ? reader.data(form) : reader.node(id);
          return { item: reader.node(item) as Context, state, value };
        },
      }),
    ),
    relays: maybe(entries(node(() => relayKind))) as Field<CollectState["relays"]>,
    gaps,
  },
);

const parcel: Field<Parcel> = {
  save: (writer, { state, value, items: from, inner }) => [
    state,
    items.save(writer, from as Context[], undefined),
    writer.node(relayKind, inner),
    ...valueIn(writer, state, value),
  ],
  load: (reader, saved) => {
    const [state, from, inner, form, id] = saved as [number, unknown, number, unknown, number?];
    return {
      state,
      value: id === undefined ? reader.data(form) : reader.node(id),
      items: items.load(reader, from, undefined) as Context[],
      inner: reader.node(inner) as Relay | null,
    };
  },
};

export const relayKind: NodeKind<Relay> = kind<Relay, number, "slot">(
  ({ slot }) => slot,
  (_, slot) => new Relay(slot, null),
  {
    from: node(() => contextKind),
    at: node(() => contextKind),
    failure: node(() => failureKind),
    gone: plain,
    ended: plain,
    waiting: inPlace({
      save: (writer, parcels) => parcels.map((one) => parcel.save(writer, one, undefined)),
      load: (reader, saved, relay) => {
        for (const one of saved as unknown[]) relay.offer(parcel.load(reader, one, undefined));
      },
    }),
  },
);

const zipKind: NodeKind<Zip> = kind<Zip, readonly string[], "keys">(
  ({ keys }) => keys,
  (_, keys) => new Zip(keys, joined),
  {
    state: zipState(
      parcel,
      node(() => failureKind),
    ),
  },
);

/** Not of a class: what it is, is said by where it stands. All that is skipped for one reason shares it. */
export const failureKind: NodeKind<Failure> = kind<Failure, readonly unknown[], "anchor" | "handled" | "at">(
  ({ anchor, handled, at }) => [anchor, handled, at ?? 0],
  (_, [anchor, handled, at]) => ({
    error: undefined as unknown as Failure["error"],
    anchor: anchor as number,
    handled: handled as boolean,
    ...(at !== 0 && { at: at as string }),
  }),
  { error: data as Field<Failure["error"]> },
);

/** In the order of their numbers in a snapshot. */
export const kinds: readonly NodeKind<object>[] = [
  contextKind,
  pendingKind,
  blockKind,
  streamKind,
  collectKind,
  relayKind,
  zipKind,
  failureKind,
];

const byClass: ReadonlyMap<unknown, NodeKind<object>> = new Map(
  [
    [Pending, pendingKind],
    [BlockInstance, blockKind],
    [Relay, relayKind],
    [Zip, zipKind],
  ].map(([made, kind]) => [made, kind as unknown as NodeKind<object>]),
);

/** Of what stands in a slot; undefined: it is a value of user code. */
function kindOf(value: unknown): NodeKind<object> | undefined {
  return typeof value === "object" && value !== null ? byClass.get(value.constructor) : undefined;
}
