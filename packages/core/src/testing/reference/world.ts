/**
 * What the reference interpreter knows of a run: maps keyed by strings, and nothing that could be recomputed.
 *
 * The interpreter is the second implementation of DESIGN §3, written to be read: it is told what happened (the records
 * of a journal, in order) and says what follows. It shares no code with `state/` and `scheduler/`, keeps no counters
 * and starts nothing, so that whoever disagrees with it has a bug, here or there.
 */
import type { At, ErrorEntry, OpError } from "../../events/record.ts";
import type { BlockPlan, Plan, ScopePlan, SlotPlan, StreamPlan } from "../../model/plan.ts";

/** One failed invocation, and everything it skips points at it. */
export interface Failure {
  readonly error: OpError;
  /** Slot it is reported under. */
  readonly anchor: number;
  readonly handled: boolean;
}

export type Resolved =
  | { readonly as: "value"; readonly value: unknown }
  | { readonly as: "failed" | "skipped"; readonly failure: Failure }
  | { readonly as: "untaken" | "swept" | "absent" };

/** One instance of a scope. */
export interface Place {
  /** Empty for the run; `0[3]/2[1]` is item 1 of stream 2 in item 3 of stream 0. */
  readonly key: string;
  readonly scope: ScopePlan;
  readonly outer: Place | null;
  /** Whose item it is. */
  readonly stream: Stream | null;
  /** Whose arm or iteration it is. */
  readonly block: Block | null;
  /** Of its stream, or of its loop. */
  readonly index: number;
  /** What keeps it open, by name: its unfinished ops, its waits for slots further out, its streams and blocks. */
  readonly work: Set<string>;
  /** An op was dispatched or a stream opened in it or in an arm of it: `dropOldest` may not take it any more. */
  touched: boolean;
  /** It was swept and is open for the unsafe bodies in it alone: nobody hears of what they give. */
  swept: boolean;
  closed: boolean;
}

/** The items of one `each` list, or of one invocation of a generator. */
export interface Stream {
  readonly key: string;
  readonly plan: StreamPlan;
  readonly owner: Place;
  /** The list of an `each`; null for a generator. */
  readonly list: readonly unknown[] | null;
  items: number;
  /** Open items in yield order. */
  readonly open: Place[];
  ended: boolean;
  failure: Failure | null;
  /** The generator waits until an item closes. */
  suspended: boolean;
  /** Where its items come from, when that is other streams. */
  passage: Passage | null;
}

/** An item on its way from one stream into another, and the items that it comes from. */
export interface Parcel {
  readonly how: Resolved;
  readonly from: readonly { readonly place: Place; readonly feed: SlotPlan }[];
  /** Of an item that leaves a block and has a stream in it, that of a passage of its own. */
  readonly inner: InnerPassage | null;
}

/** One of the streams that a zip pairs; of a stream that leaves a block, all that comes. */
export interface Part {
  /** Of a zip, by index: what arrived before its turn; null left nothing. */
  readonly arrived: Map<number, Parcel | null>;
  next: number;
  waiting: Parcel[];
  ended: boolean;
  failure: Failure | null;
}

export interface Passage {
  readonly slot: SlotPlan;
  readonly parts: readonly Part[];
  /** How many went out. */
  count: number;
  /** Its source failed: it ends when what is on its way has gone out. */
  broken: Failure | null;
}

/** What goes out of the stream in one item of a stream that leaves a block. */
export interface InnerPassage {
  readonly passage: Passage;
  /** The item inside, and, once that is there, the one outside. */
  readonly inside: Place;
  outside: Place | null;
  /** The one outside will never be there. */
  gone: boolean;
}

/** One control block in one place, from the opening of its first arm until its last one closed. */
export interface Block {
  readonly slot: SlotPlan;
  readonly plan: BlockPlan;
  /** Where its slot resolves, and what its arms are in. */
  readonly owner: Place;
  /** Arms, or the one iteration, that are not closed. */
  readonly open: Place[];
  /** Race: of the arms that failed. Fallback: what its body did not handle. */
  readonly failures: Failure[];
  /** An arm won; the handler was opened; or it was swept: what resolves in it now changes nothing. */
  decided: boolean;
  /** Race: the arm that won. */
  winner: Place | null;
  swept: boolean;
}

/** A choice of a block, as it stands in the journal behind the record of the event that led to it. */
export interface Decision {
  readonly slot: number;
  readonly at: At;
  readonly choice: number;
}

/** One invocation of an op, from ready to resolved. */
export interface Call {
  readonly place: Place;
  readonly slot: SlotPlan;
  phase: "queued" | "admitted" | "running";
  input: unknown;
  attempt: number;
  /** When that attempt is due, if it is not the first. */
  due: number;
  /** Of a sleep or a question that has begun: until when it waits; null: for ever. */
  waits: { readonly due: number | null } | null;
  /** Until when all its attempts may take. */
  deadline: number;
  /** Of an unsafe op: the attempt whose body began; 0: none. */
  begun: number;
  /** Of an unsafe op: how often it was asked what became of it. */
  doubts: number;
  /** Items that came of it. */
  items: number;
  /** Of a workflow's body: how many of the things that its calls came to are not told to it any more. */
  heard: number;
  /** At how many crashes in a row it was at work, without another attempt or item in between. */
  crashes: { readonly count: number; readonly attempt: number; readonly items: number };
}

export function newCall(place: Place, slot: SlotPlan): Call {
  return {
    place,
    slot,
    phase: "queued",
    input: undefined,
    attempt: 1,
    due: 0,
    waits: null,
    deadline: Infinity,
    begun: 0,
    doubts: 0,
    items: 0,
    heard: 0,
    crashes: { count: 0, attempt: 0, items: 0 },
  };
}

/** One op in one stream: who stands in its line, and (ordered) whose turn it is. */
export interface Lane {
  readonly line: Call[];
  turn: number;
  readonly arrived: Map<number, Call | null>;
}

/** Somebody further in waits for a slot. */
export interface Wait {
  readonly place: Place;
  readonly slot: SlotPlan;
}

/** A slot that resolved, and whose dependents have to hear of it; or one that has all it needs. */
export interface Consequence {
  readonly what: "resolved" | "ready";
  readonly place: Place;
  readonly slot: SlotPlan;
}

export interface Outcome {
  readonly status: "completed" | "failed" | "cancelled";
  readonly output: unknown;
  readonly errors: readonly ErrorEntry[];
  readonly reason: string;
}

export interface World {
  readonly plan: Plan;
  readonly raise: boolean;
  /** Functions that do not say the same twice: a choice made of what they say is the journal's alone. */
  readonly fickle: ReadonlySet<unknown>;
  readonly root: Place;
  /** By `place#slot`. */
  readonly resolved: Map<string, Resolved>;
  /** By `place#slot`: what an unresolved slot has heard of its dependencies, by slot. */
  readonly heard: Map<string, Map<number, Resolved>>;
  /** By `place#slot`: who waits for it, in the order they began to. */
  readonly waits: Map<string, Wait[]>;
  /** By `place#slot`: invocations that are not over. */
  readonly calls: Map<string, Call>;
  /** The run began with what another one had come to. */
  forked: boolean;
  /** By `stream#slot`. */
  readonly lanes: Map<string, Lane>;
  /** By `place/stream`. */
  readonly streams: Map<string, Stream>;
  /** By `place#slot`: what is on its way into the streams of `forward` slots. */
  readonly passages: Map<string, Passage>;
  /** By `item#feed`: out of streams in items of streams that leave a block, from the first item that sets out. */
  readonly innerPassages: Map<string, InnerPassage>;
  /** By `place#slot`: those that are open. */
  readonly blocks: Map<string, Block>;
  /** By `place#collector`: what the items left so far, by index. */
  readonly gathered: Map<string, Map<number, Resolved>>;
  /** By `place#collector`: a reduce that threw. */
  readonly thrown: Map<string, Failure>;
  readonly cells: unknown[];
  readonly errors: Map<string, ErrorEntry>;
  /** `place#subgraph`: has its error entry. */
  readonly reported: Set<string>;
  /** Consequences of the current event that are still to be drawn: first in, first out. */
  readonly queue: Consequence[];
  /** Paths of the invocations that were dispatched, in their order. */
  readonly dispatched: string[];
  /** Paths of the invocations that were swept. */
  readonly swept: string[];
  /** Questions that the current event swept: `slot@indices`. */
  readonly withdrawn: string[];
  /** What was sent out: the path of the node, and the value. */
  readonly emitted: { readonly path: string; readonly value: unknown }[];
  /** The choices that the journal has for the current event and that no block has come to yet. */
  readonly decisions: Decision[];
  /** Places whose last work may have ended: the last to end closes first. */
  readonly closing: Place[];
  /** Items that the current event pushed out of a full stream. */
  readonly dropped: { readonly source: number; readonly place: Place; readonly index: number }[];
  /** A failure among items of an ephemeral generator that ends what is around them. */
  cut: { readonly failure: Failure; readonly raises: boolean; readonly catcher: number } | null;
  raised: boolean;
  /** What it ends as when its finalizers are through. */
  ending: Omit<Outcome, "errors"> | null;
  end: Outcome | null;
}

export function newWorld(plan: Plan, raise: boolean, fickle: ReadonlySet<unknown>): World {
  const scope = plan.scopes[0];
  if (scope === undefined) throw new Illegal("the plan has no run scope");
  const root: Place = {
    key: "",
    scope,
    outer: null,
    stream: null,
    block: null,
    index: 0,
    work: new Set(),
    touched: false,
    swept: false,
    closed: false,
  };
  return {
    plan,
    raise,
    fickle,
    root,
    resolved: new Map(),
    heard: new Map(),
    waits: new Map(),
    calls: new Map(),
    forked: false,
    lanes: new Map(),
    streams: new Map(),
    passages: new Map(),
    innerPassages: new Map(),
    blocks: new Map(),
    gathered: new Map(),
    thrown: new Map(),
    cells: plan.cells.map((cell) => cell.initial),
    errors: new Map(),
    reported: new Set(),
    queue: [],
    dispatched: [],
    swept: [],
    withdrawn: [],
    emitted: [],
    decisions: [],
    closing: [],
    dropped: [],
    cut: null,
    raised: false,
    ending: null,
    end: null,
  };
}

/** The journal says what cannot have happened. */
export class Illegal extends Error {
  override readonly name = "Illegal";
}

export function slotOf(world: World, id: number): SlotPlan {
  const slot = world.plan.slots[id];
  if (slot === undefined) throw new Illegal(`the plan has no slot ${id}`);
  return slot;
}

export function at(place: Place, slot: number): string {
  return `${place.key}#${slot}`;
}

export function streamOf(world: World, owner: Place, stream: number): Stream | undefined {
  return world.streams.get(streamKey(owner, stream));
}

export function streamKey(owner: Place, stream: number): string {
  return `${owner.key}/${stream}`;
}

/** The instance of `scope` that encloses `place`, or is it. */
export function enclosing(place: Place, scope: number): Place {
  let found: Place = place;
  while (found.scope.id !== scope) {
    if (found.outer === null) throw new Illegal(`${place.key} is not inside scope ${scope}`);
    found = found.outer;
  }
  return found;
}
