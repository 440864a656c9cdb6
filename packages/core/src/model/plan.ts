/**
 * The Plan: what `graph()` builds and everything below runs. Frozen, plain, and free of promises, clocks and names
 * that are looked up at run time: every relation a step needs is an integer in a table.
 *
 * Vocabulary. A **scope** is a region that is instantiated as contexts: the run, or one item of a stream. A **slot** is
 * anything that resolves once per context: a named node, an item of a stream, or an unnamed edge. Subgraphs are
 * flattened: their nodes live in the scope of the call, under the call's name. A **block** is a slot that opens contexts:
 * those of its arms, or one iteration after the other.
 */
import type { FindingCode } from "../base/messages.generated.ts";
import type { CallerContext } from "./caller-context.ts";
import type { OpSpec } from "./op-spec.ts";
import type { MigrationPlan } from "./migration.ts";
import type { CallPolicies } from "./policies.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

/** What a slot does when its dependencies have values. One handler file per kind in `scheduler/`. */
export const SlotKind = {
  /** The run's input: slot 0 of scope 0, resolved by the `started` event. */
  input: 0,
  /** The item itself: local slot 0 of every item scope, resolved when the item's context opens. */
  item: 1,
  /** A leaf op call; a generator op is the source of `stream`. */
  op: 2,
  /** `fn(inputs)`: `derive` and `text`. */
  derive: 3,
  /** `inputs` is an array of two: the first unless it is null or undefined, else the second. */
  orElse: 4,
  /** `inputs` is an array of two, item and condition: the item, or absent. */
  filter: 5,
  /** `inputs` is an array of one: the item, or absent when null or undefined. */
  present: 6,
  /** `inputs` as it stands: the record that a `collect`, `reduce` or the run's output reads. */
  record: 7,
  /** `inputs` is the list; opens one item of `stream` per element. */
  each: 8,
  /** The array of `watch` over the items of a stream, in yield order. */
  collect: 9,
  /** The fold of `watch` over the items of a stream, in yield order; a named node. */
  reduce: 10,
  /** Resolves when `watch` resolved in every item, whatever it resolved to: `after` naming a deeper ref. */
  end: 11,
  /** Folds `inputs` into `cell`. */
  push: 12,
  /** The value of `cell` once everything it is `after` resolved. */
  read: 13,
  /** `fn(inputs)` is the arm that opens, or -1: `when`, `given`, `match`, `route`. Resolves when that is decided. */
  choose: 14,
  /** What the arm that a `choose` took left in its slot `arms.from[arm]`; untaken when there is none. */
  taken: 15,
  /** Opens iterations until one says that it was the last; resolves with its result. `inputs` is the first state. */
  loop: 16,
  /** Opens all arms; resolves as the first one that has a value. */
  race: 17,
  /** Opens its body and, after a failure in it, its handler; resolves as the one that came to its end. */
  fallback: 18,
  /** Fails with the message and data of `inputs`. */
  fail: 19,
  /** Resolves when everything in a block ended: what `after` waits for. */
  through: 20,
  /** Sends `inputs` out to whoever follows the run. */
  emit: 21,
  /** Resolves when the time that `inputs` says is over. */
  sleep: 22,
  /** A question to the outside: resolves with its answer. `inputs` is what is asked. */
  ask: 23,
  /** Cancels the open contexts of `targets` when `inputs` is true; resolves with how many. */
  sweep: 24,
  /** Passes the items of a stream on to the stream of `feed.to`; resolves when its stream ended. */
  feed: 25,
  /** The source of a stream whose items come from `feed`s: out of a block, or by zip. */
  forward: 26,
  /** Opens when the run would end. */
  finalizer: 27,
  /** A graph call that may take only so long: its nodes are in its one arm. Resolves when they are through, or it is over. */
  bounded: 28,
  /** Gives what every item of a stream came to back to the body that yielded it; resolves when its stream ended. */
  deliver: 29,
} as const;
export type SlotKind = (typeof SlotKind)[keyof typeof SlotKind];

/** One value read from a slot: the slot's value, then a chain of field names. */
export interface Source {
  readonly slot: number;
  readonly path: readonly string[];
  /** The first field must exist on the value: a direct output of an op that declares no output schema. */
  readonly strict: boolean;
}

/** How the input of a slot is put together from sources and constants. */
export type Template =
  | { readonly type: "constant"; readonly value: unknown }
  | { readonly type: "source"; readonly source: Source }
  | { readonly type: "object"; readonly keys: readonly string[]; readonly values: readonly Template[] }
  | { readonly type: "array"; readonly items: readonly Template[] };

/** A dependency of a slot on a slot of its own scope or of an ancestor's. `after` ones carry no value. */
export interface Dependency {
  readonly slot: number;
  readonly after: boolean;
}

export interface SlotPlan {
  readonly id: number;
  readonly kind: SlotKind;
  /** The scope it lives in, and its index among that scope's slots. */
  readonly scope: number;
  readonly local: number;
  /** Scoped name, `fast/summarise`; empty for edges. Unique among the named slots of a plan. */
  readonly name: string;
  /** The named slot that a failure of this slot is reported under: itself, or the nearest named source of an edge. */
  readonly anchor: number;
  readonly inputs: Template | null;
  /** Unique by slot; a slot that is both read and named in `after` is listed once, with `after: false`. */
  readonly dependencies: readonly Dependency[];
  /** The function of derive and reduce. */
  readonly fn: ((...values: never[]) => unknown) | null;
  readonly op: OpSpec | null;
  readonly policies: CallPolicies | null;
  /** By the keys of the op's `needs`: names of the resources, with the bindings of the calls around it applied. */
  readonly resources: Readonly<Record<string, string>> | null;
  /** The stream this slot is the source of, or -1. */
  readonly stream: number;
  readonly collect: CollectPlan | null;
  /** The cell of push and read, or -1. */
  readonly cell: number;
  /** Of a push: `inputs` is put in the place of what the cell holds, instead of being folded into it. */
  readonly overwrites: boolean;
  readonly block: BlockPlan | null;
  /** Of a `taken` or `through`. */
  readonly arms: ArmsPlan | null;
  readonly ask: AskPlan | null;
  /** Of a sweep: slots. */
  readonly targets: readonly number[] | null;
  readonly feed: FeedPlan | null;
  /** Of a `forward`: its feeds, and the block that it leaves. */
  readonly fedBy: readonly number[] | null;
  /** Of a `forward` that is a zip. */
  readonly zip: ZipPlan | null;
  /** Lane of an op inside a stream's items: index into the stream instance's lanes, or -1 where there is none around. */
  readonly lane: number;
  readonly laneCapacity: number;
  readonly ordered: boolean;
  /** Every path from this slot meets a fallback, a race, or a `skip` or `settle` before an output or a dead end. */
  readonly handled: boolean;
  /** The fallback (a slot) whose body a failure of this slot ends, or -1. */
  readonly catcher: number;

  // ---- adjacency, derived by `linkPlan` -------------------------------------------------------------------------
  /** Dependents in the same scope in plan order, each `local * 2 + (after ? 1 : 0)`. */
  readonly consumers: readonly number[];
  /** Slots (by id) in the scope around that take what this slot resolves to: collectors, `taken`s and races. */
  readonly watchers: readonly number[];
  /** Subgraph calls (indices into `plan.subgraphs`) that return this slot, innermost first. */
  readonly boundaries: readonly number[];
}

export interface CollectPlan {
  readonly stream: number;
  /** The slot of the stream's item scope whose resolutions are gathered. */
  readonly watch: number;
  readonly errors: "fail" | "skip" | "settle";
  /** Initial accumulator of reduce. */
  readonly initial: unknown;
  /** Index among the collectors of its stream. */
  readonly index: number;
}

/** Where the items of a stream go. */
export interface FeedPlan {
  /** A `forward` slot. */
  readonly to: number;
  /** Which part of it. */
  readonly part: number;
  /**
   * Of a stream in the items of a stream that leaves a block: the feed of that one. What it goes to is in the item, outside,
   * that goes out with its first item. -1 for all others.
   */
  readonly outer: number;
}

export interface ZipPlan {
  /** By part. */
  readonly keys: readonly string[];
  /** What it is when one stream is longer: a failure, or the end of the shorter one. */
  readonly uneven: "fail" | "stop";
}

/** What a question takes for an answer. */
export interface AskPlan {
  readonly answer: StandardSchemaV1;
  /** Milliseconds after which it is not waited for any more; 0: for ever. */
  readonly timeout: number;
  /** What counts as the answer then; absent: the node fails. */
  readonly otherwise: { readonly value: unknown } | null;
  readonly title: string;
}

/** What a block opens. */
export interface BlockPlan {
  /** The scopes of its arms; of a loop its iteration's, of a fallback its body's and its handler's. */
  readonly scopes: readonly number[];
  /** Of a `choose` and a `bounded`: the `taken`s that give on what its arms left. */
  readonly outputs: readonly number[];
  /** The `forward`s of streams that leave the block. */
  readonly forwards: readonly number[];
  /** The `through` of the block, or -1 when nothing waits for it. */
  readonly through: number;
  /** By arm, the slot that holds what it returns (race, fallback). A loop: until, next, result (or next again). */
  readonly results: readonly number[];
  /** Loops: the most iterations, and whether reaching it is an exit or a failure. */
  readonly max: number;
  readonly onLimit: "fail" | "exit";
  /** Finalizers and bounded calls: milliseconds after which they are not waited for any more. */
  readonly timeout?: number;
}

/** Where a `taken` finds its value; also what a `through` belongs to. */
export interface ArmsPlan {
  readonly block: number;
  /** By arm: a slot of the arm's scope, or -1. Empty for a `through`. */
  readonly from: readonly number[];
}

export interface ScopePlan {
  readonly id: number;
  /** `arm`: once per context around it, if its block opens it. `iteration`: one after the other. */
  readonly kind: "run" | "item" | "arm" | "iteration";
  /** What its block calls it (`then`, `body`); of an iteration and of a finalizer, the block's own name; else empty. */
  readonly name: string;
  /** -1 for the run. */
  readonly parent: number;
  readonly depth: number;
  /** The stream whose items are this scope's contexts, or -1. */
  readonly stream: number;
  /** The stream of an ephemeral generator whose items it is in, or -1: nothing that happens in it is recorded. */
  readonly ephemeral: number;
  /** The block (a slot) that opens it, or -1, and which of its arms it is. */
  readonly block: number;
  readonly arm: number;
  /** Global slot ids by local index. */
  readonly slots: readonly number[];
  /** By local index: dependencies in the same scope (collect, reduce and end count their stream as one). */
  readonly missing: readonly number[];
  /** Dependencies on slots of ancestors, looked up when a context opens. */
  readonly outer: readonly OuterDependency[];
  /** Local indices without any dependency, in plan order: they are ready as soon as the context opens. */
  readonly ready: readonly number[];
}

export interface OuterDependency {
  readonly local: number;
  readonly slot: number;
  /** How many contexts up. */
  readonly hops: number;
  readonly after: boolean;
}

export interface StreamPlan {
  readonly id: number;
  /** The slot that makes the items: a generator op or an each. */
  readonly source: number;
  readonly itemScope: number;
  /** Segment of a context path: source node's scoped name and field path, `input.xs`, `listDocs`, `think.calls`. */
  readonly segment: string;
  readonly buffer: number;
  /**
   * `dropOldest`: the oldest item in which no op has started makes room. A generator is never held up: its newcomer may be
   * that oldest. A list waits when all open items have started: its next element is not lost by waiting.
   */
  readonly onFull: "wait" | "dropOldest";
  /** Its items are of an ephemeral generator: only what is made of them in the end is kept. */
  readonly ephemeral: boolean;
  /** Collector slots by `CollectPlan.index`. */
  readonly collectors: readonly number[];
  /** Nothing is done with its items but to pass them on: when they have nowhere to go, what makes them can be stopped. */
  readonly passedOn: boolean;
  /** Op slots by lane index. */
  readonly lanes: readonly number[];
}

export interface SubgraphPlan {
  /** Scoped name of the call. */
  readonly name: string;
  readonly graph: string;
  /** The scope of the call. */
  readonly scope: number;
}

export interface CellGrowth {
  readonly add: (accumulator: unknown, update: unknown) => void;
  readonly copy: (accumulator: unknown) => unknown;
}

export interface CellPlan {
  readonly name: string;
  readonly initial: unknown;
  readonly reduce: (accumulator: unknown, update: unknown) => unknown;
  /** For reducers whose accumulator grows: adds in place and copies when read, instead of copying at every push. */
  readonly grow: CellGrowth | null;
  /** What readers get of the accumulator, when that is not the accumulator itself. */
  readonly view: ((accumulator: unknown) => unknown) | null;
  /** The next run of the same thread begins with what this one left in it. */
  readonly carry: boolean;
  /** What its reducer states; empty: nothing. */
  readonly version: string;
}

export interface Finding {
  readonly level: "error" | "warning" | "info";
  readonly code: FindingCode;
  readonly node: string;
  readonly message: string;
}

export interface Plan {
  readonly name: string;
  /** `sha256:` and 64 hex digits over the canonical structure (DESIGN: Fingerprint). */
  readonly fingerprint: string;
  /** Validates the run's input before the run starts, or null. */
  readonly input: StandardSchemaV1 | null;
  readonly scopes: readonly ScopePlan[];
  readonly slots: readonly SlotPlan[];
  readonly streams: readonly StreamPlan[];
  readonly subgraphs: readonly SubgraphPlan[];
  readonly cells: readonly CellPlan[];
  /** Names of the resources that its ops need, in the order of the slots. */
  readonly resources: readonly string[];
  /** Names of its ops that run in the engine's executor, each once. */
  readonly elsewhere: readonly string[];
  /** What its ops need to be told by the caller, each name once. */
  readonly contexts: readonly CallerContext<unknown>[];
  /** The `record` slot of scope 0 whose value is the run's output; streams are collected into arrays. */
  readonly output: number;
  /** Slots, in the order they were declared. */
  readonly finalizers: readonly number[];
  /** From which other fingerprints runs go on with it. */
  readonly migrations: readonly MigrationPlan[];
  readonly findings: readonly Finding[];
}
