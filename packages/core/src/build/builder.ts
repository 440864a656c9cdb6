/**
 * What a graph body writes into while it runs, and the stack of bodies that are running.
 *
 * Bodies are synchronous, so the innermost running body is a module variable: `running()`. A **builder** belongs to
 * one plan. A **frame** is one body running in it: the graph's own, or that of a graph called inside it, which is run
 * again in the caller's builder under the call's name (flattening).
 */
import { buildError } from "../base/error.ts";
import type { CellPlan, Finding, ScopePlan, SlotPlan, StreamPlan, SubgraphPlan } from "../model/plan.ts";
import type { BindLevel } from "./bindings.ts";
import type { Shape } from "./shape.ts";

/** A table row that is still being filled. */
type Draft<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

export type DraftSlot = Draft<SlotPlan>;

/** What field reads of a slot's value are checked against. */
export interface Reads {
  /** Whose value it is, for messages: `the output of op parse`. */
  readonly owner: string;
  readonly shape: Shape | null;
  /** The field must exist at run time. */
  readonly strict: boolean;
}

export interface Builder {
  readonly graph: string;
  readonly slots: DraftSlot[];
  /** By slot id. */
  readonly reads: (Reads | null)[];
  /** By slot id: the streams whose end the slot depends on, directly or not. */
  readonly ends: ReadonlySet<number>[];
  readonly scopes: Draft<ScopePlan>[];
  readonly streams: Draft<StreamPlan>[];
  readonly subgraphs: SubgraphPlan[];
  readonly cells: CellPlan[];
  readonly cellIds: Map<object, number>;
  /** Cells that keep only the last update, cells whose writers may race, and reads that must follow every writer. */
  readonly lastCells: Set<number>;
  readonly racyCells: Set<number>;
  readonly orderedReads: number[];
  /** Scoped names that are taken. */
  readonly names: Set<string>;
  /** Streams by list and frame: `each` twice on one ref is one stream. */
  readonly streamIds: Map<string, number>;
  /** Sources of streams that no author wrote: the tasks of state graphs. */
  readonly wired: Set<number>;
  /** `scope segment`, so that two streams of a context have different paths. */
  readonly segments: Set<string>;
  /** What calls say about their stream, by stream: the smallest buffer counts, and one answer to `onFull`. */
  readonly buffers: Map<number, number>;
  readonly onFull: Map<number, "wait" | "dropOldest">;
  /** Scopes of closures that are being run: one that uses an item moves into that item's scope, with all it holds. */
  readonly floating: Set<number>;
  readonly finalizers: number[];
  /** By slot id: the innermost item scope that the types of its inputs know of. */
  readonly typed: number[];
  readonly findings: Finding[];
  frames: number;
}

export interface Frame {
  readonly builder: Builder;
  readonly id: number;
  readonly parent: Frame | null;
  /** The body of a block: what the frames around it made can be used in it. */
  readonly closure: boolean;
  /** The graph whose body runs: an identity, for the recursion check. */
  readonly definition: object;
  readonly graph: string;
  /** Empty, or the scoped name of the call or arm and a slash. */
  readonly prefix: string;
  /** Every node of the body lives here or further in. */
  readonly scope: number;
  /** Lane capacity of ops that do not say it themselves. */
  readonly parallel: number;
  /** Slots that every op and push of the body waits for. */
  readonly after: readonly number[];
  /** What the calls around the body bind, from the inside out. */
  readonly bindings: readonly BindLevel[];
}

export const RUN_SCOPE = 0;

let innermost: Frame | null = null;

/** The body that is running now, or null outside of any. */
export function running(): Frame | null {
  return innermost;
}

/** The body that is running now; `what` is called only inside one. */
export function frameFor(what: string, hint = "call it in the body given to graph(name, body)"): Frame {
  if (innermost !== null) return innermost;
  throw buildError(`${what} was called outside of a graph`, hint, "OutsideGraph");
}

export function runIn<T>(frame: Frame, body: () => T): T {
  const before = innermost;
  innermost = frame;
  try {
    return body();
  } finally {
    innermost = before;
  }
}

/** What is particular to a new scope. */
interface NewScope {
  readonly id: number;
  readonly kind: ScopePlan["kind"];
  readonly name?: string;
  readonly parent: number;
  readonly stream?: number;
}

/** Depth and owner are known when the body is through. */
export function newScope({ id, kind, name = "", parent, stream = -1 }: NewScope): Draft<ScopePlan> {
  return {
    id,
    kind,
    name,
    parent,
    depth: 0,
    stream,
    ephemeral: -1,
    block: -1,
    arm: 0,
    slots: [],
    missing: [],
    outer: [],
    ready: [],
  };
}

/** Whether what `home` made can be used in `frame`: the same body, or one that this is a closure of. */
export function sees(frame: Frame, home: Frame): boolean {
  for (let at: Frame | null = frame; at !== null; at = at.closure ? at.parent : null) if (at === home) return true;
  return false;
}

export function newBuilder(graph: string): Builder {
  return {
    graph,
    slots: [],
    reads: [],
    ends: [],
    scopes: [newScope({ id: RUN_SCOPE, kind: "run", parent: -1 })],
    streams: [],
    subgraphs: [],
    cells: [],
    cellIds: new Map(),
    lastCells: new Set(),
    racyCells: new Set(),
    orderedReads: [],
    names: new Set(),
    streamIds: new Map(),
    wired: new Set(),
    segments: new Set(),
    buffers: new Map(),
    onFull: new Map(),
    floating: new Set(),
    finalizers: [],
    typed: [],
    findings: [],
    frames: 0,
  };
}

/** The frame of a graph's own body. */
export function rootFrame(builder: Builder, definition: object): Frame {
  return {
    builder,
    id: builder.frames++,
    parent: null,
    closure: false,
    definition,
    graph: builder.graph,
    prefix: "",
    scope: RUN_SCOPE,
    parallel: 1,
    after: [],
    bindings: [],
  };
}
