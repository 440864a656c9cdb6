/**
 * The records of a journal, as they are written. A record names its node by the slot's index in the plan and its
 * context by the indices of the items around it, outermost first: both are the same in every run of one fingerprint,
 * and the `started` record carries the names that belong to the indices.
 *
 * Written as one JSON array per record, `[kind, ...]`, and a journal row is a JSON array of records in UTF-8.
 */
export const RecordKind = {
  /** `[0, Started]` always seq 1 */
  started: 0,
  /** `[1, slot, at, value, 1?]` the only output of an op, and its end; 1: it came from the cache */
  output: 1,
  /** `[2, slot, at, value]` one item of a generator */
  frame: 2,
  /** `[3, slot, at, value?]` the end of a generator, and what it returned, if anything */
  eof: 3,
  /** `[4, slot, at, attempt, retryAt | null, error]` one attempt failed; null: it was the last */
  attemptFailed: 4,
  /** `[5, slot, at, index]` an item left a full stream before any op started in it (follows the frame that caused it) */
  dropped: 5,
  /**
   * `[6, epoch, [[slot, at], …], GraphNames | 0, crashed]` a new owner; the bodies that were in flight; the graph, if it is
   * another; when it found that the owner before had died, or 0 if that one gave the run away. Versions that did not record
   * the start of unsafe bodies wrote no `crashed`, and no 0.
   */
  resumed: 6,
  /** `[7, reason]` */
  cancelRequested: 7,
  /** `[8]` */
  drainRequested: 8,
  /** `[9, Ended]` terminal, or `drained` or `interrupted` (then a `resumed` may follow) */
  ended: 9,
  /** `[10, slot, at, choice]` what a block decided; follows the record of the event that made it decide */
  decision: 10,
  /** `[11, slot, at, due]` a sleep began */
  timerSet: 11,
  /** `[12, slot, at]` its time came */
  fired: 12,
  /**
   * `[13, slot, at, due | null, payload, path, askedAt?, title | 0?, doubt | 0?, id?]` a question was opened; due: until when
   * it is waited for; title 0: it has none; doubt: it is what became of a body of an unsafe op, and the how manieth such
   * question about it, from 1; id: of a run that was brought to another graph, in which it does not follow from the path.
   * Without askedAt and what follows: of a journal that an earlier version wrote
   */
  asked: 13,
  /**
   * `[14, slot, at, by, answer, answeredAt?]` by: who said so, `timeout` when it is the default; of a body in doubt the answer is
   * a `Verdict`; the time as in `asked`
   */
  answered: 14,
  /** `[15, slot, at]` a question was swept; stands like a decision behind the event that caused it */
  withdrawn: 15,
  /** `[16, slot, at, due]` an op with a total timeout was taken up: until when all its attempts may take */
  deadlineSet: 16,
  /** `[17, slot]` the time for a finalizer is over */
  finalizerOver: 17,
  /** `[18, kind, slot, at, …]` a record of the run that this one was forked from, for an invocation that is not there yet */
  kept: 18,
  /** `[19, cell, value]` what the fork's patch says that a cell, by its name, holds */
  cellSet: 19,
  /** `[20, slot, at, attempt, time]` the body of an unsafe op is about to begin, at that time */
  unsafeStart: 20,
  /**
   * `[21, SnapshotHeader, state | blob, [kept, …]]` the state behind the records before it, as a text, or the
   * blob that holds it; and what a fork kept and has not come to. Alone in its row; changes nothing
   */
  snapshot: 21,
  /** `[22, code, message]` the engine ends the run as failed, for a reason that no node has */
  stopped: 22,
  /** `[23, CompactedHeader, [started, asked, …]]` stands for all records before a snapshot; seq 1, alone in its row */
  compacted: 23,
  /**
   * `[24, slot, at, Settled]` the items of an ephemeral generator are through, with what was made of them: its end, and all
   * that is ever recorded of them
   */
  settled: 24,
  /** `[25, slot, at, BrokenOff]` a failure among such items ends what is around them */
  brokenOff: 25,
} as const;
export type RecordKind = (typeof RecordKind)[keyof typeof RecordKind];

/** Indices of the items and iterations around, from the outermost inward; 0 when there are none. */
export type At = readonly number[] | 0;

/** How the nodes of a graph are found in the next version of it. Absent parts are empty. */
export interface NodeMap {
  /** New scoped names by old ones; that of a block, a subgraph or an arm stands for all that is in it. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Names of nodes that are gone on purpose: what they did is not looked at any more. */
  readonly remove?: readonly string[];
  /** New keys of the run's input by old ones. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** What gives the slot numbers of the records that follow their meaning. */
export interface GraphNames {
  readonly fingerprint: string;
  /** Names of the named slots: `[slot, name]`. */
  readonly nodes: readonly (readonly [number, string])[];
  /**
   * Of those in items and iterations, the path with a NUL for each index. Absent, as `arms` is, in what earlier versions wrote.
   */
  readonly paths?: readonly (readonly [number, string])[];
  /** Of the blocks that choose among arms: what these are called, in the order that decisions count them. */
  readonly arms?: readonly (readonly [number, readonly string[]])[];
  /** Of a `resumed` record: how the graph before was brought to this one, when that was said. */
  readonly map?: NodeMap;
}

export interface Started extends GraphNames {
  readonly format: 1;
  readonly graph: string;
  /** Encoded value. */
  readonly input: unknown;
  readonly errors: "record" | "raise";
  /** The start of unsafe bodies is recorded; absent in runs that older versions started. */
  readonly unsafeStarts?: true;
  /** Encoded values by the names of the caller contexts; present when the graph has any. */
  readonly context?: unknown;
  /** Of the caller; present when they were given. */
  readonly traceId?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** `JournalLimits` of the caller, those that were given; null: no limit. */
  readonly limits?: Readonly<Record<string, number | null>> | undefined;
  /** Present when the run is a fork. */
  readonly forkedFrom?: ForkOrigin | undefined;
  /** Of a fork, encoded, by cell: what the thread of its origin had carried. */
  readonly carried?: unknown;
  /** Milliseconds since 1970, UTC. */
  readonly at: number;
}

/** What is told of records that are gone, beside those that are kept: the start, and questions that are open. */
export interface CompactedHeader {
  readonly format: 1;
  /** The first record behind them: a snapshot. */
  readonly floor: number;
  /** CRC-32 of the rest of this header and the kept records, as JSON. */
  readonly sum: number;
  /** By node. */
  readonly finished: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
  /** Who answered what. */
  readonly answered: readonly unknown[];
  /** The graph that the records behind speak of. */
  readonly names: GraphNames;
}

/** What must be so for a snapshot to be used. */
export interface SnapshotHeader {
  /** Of the layout of the state. */
  readonly format: number;
  /** Checksum chain before this record. */
  readonly chain: number;
  readonly fingerprint: string;
  /** Of the graph's constants: they are named, not kept. */
  readonly constants: string;
  readonly errors: "record" | "raise";
  /** SHA-256 of the state's text, in hexadecimal. */
  readonly hash: string;
  /** Records and bytes before it, as they count for the limits of the journal. */
  readonly counted: readonly [number, number];
  /** As in the `started` record. */
  readonly limits?: Started["limits"];
  /** Paths of generators under way whose items a resume reads again. */
  readonly rereads: readonly string[];
}

/** Where a fork left the run that it comes from, and what was made different. */
export interface ForkOrigin {
  readonly runId: string;
  /** The last record that both have. */
  readonly seq: number;
  /** Encoded `ForkPatch`; present when there was one. */
  readonly patch?: unknown;
  /** Paths of the invocations that were to run again; present when there were any. */
  readonly rerun?: readonly string[] | undefined;
}

/** A failure that others are told of. */
export interface ToldFailure {
  readonly error: OpError;
  readonly handled: boolean;
  readonly at?: string;
}

/** What one collect, reduce or `after` came to. */
export type Collected = { readonly value: unknown } | { readonly failure: ToldFailure; readonly own: boolean };

export interface Settled {
  /** What the generator returned. */
  readonly value: unknown;
  /** In the order of the collectors of its stream. */
  readonly collected: readonly Collected[];
  /** What collects, in words that hold in another version of the graph. */
  readonly collectors: readonly string[];
  /** Of the items, by node. */
  readonly failures: readonly ErrorEntry[];
}

export interface BrokenOff {
  /** Until then, the one that ends it included. */
  readonly failures: readonly ErrorEntry[];
  readonly failure: ToldFailure;
  /** It ends the run, as `errors: "raise"` says. */
  readonly raises: boolean;
  /** The fallback whose body it ends. */
  readonly catcher: string | null;
}

export interface Ended {
  readonly status: "completed" | "failed" | "cancelled" | "drained" | "interrupted";
  /** Encoded value, present when completed; with `carried`: those of its fields that are not carried, absent when there are none. */
  readonly output?: unknown;
  /** Present when the output, or a part of it, is what the run left to its thread. */
  readonly carried?: CarriedOutput;
  readonly errors: readonly ErrorEntry[];
  readonly reason?: string;
  /** Interrupted: when the first timer of the parked run is due. */
  readonly wake?: number;
  readonly at: number;
}

/**
 * An output, or its fields in their order, by where it stands in what the thread carries when `row` is its last row: the cell, then
 * names of fields. Null: the field is written out.
 */
export type CarriedOutput =
  | { readonly row: number; readonly at: readonly string[] }
  | { readonly row: number; readonly fields: readonly (readonly [string, readonly string[] | null])[] };

/** One failed invocation, as handlers, `settle` and results see it. */
export interface OpError {
  readonly node: string;
  readonly path: string;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly attempts: number;
  readonly input: unknown;
  readonly data: unknown;
  /** The failure before it: what a fallback's handler was to mend, or what the arms of a race failed with first. */
  readonly cause?: { readonly node: string; readonly path: string; readonly code: string; readonly message: string };
  /** What the thrown error named as its cause, and so on: `Type: message` each, the nearest first, at most five. */
  readonly causes?: readonly string[];
}

/** Failures of one node of a run, folded. */
export interface ErrorEntry {
  readonly node: string;
  /** First failing context. */
  readonly path: string;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly attempts: number;
  readonly count: number;
  readonly handled: boolean;
  /** Node whose failure is behind this one (subgraph entries). */
  readonly cause?: string;
  /** What the thrown error named as its cause, and so on: `Type: message` each, the nearest first, at most five. */
  readonly causes?: readonly string[];
  /** Where the first failure was thrown: the first frame in files of yours, `function (file:line:column)`. */
  readonly at?: string;
}
