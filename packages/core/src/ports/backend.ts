import type { Labels } from "../model/tags.ts";

/**
 * Everything persistent, as the engine needs it. A backend stores bytes and run rows; it knows nothing of plans,
 * schedulers or values. The contract suite in `testing/backend-contract.ts` decides whether an implementation is right.
 *
 * B1  `create` writes the run row and the first journal row in one transaction, or nothing.
 * B2  `append` is fenced: it changes anything only if the run row has this epoch and this `lastSeq`; then the journal
 *     row, the new `lastSeq` and a status change are one transaction. Otherwise nothing changes and it answers `lost`.
 * B3  Sequence numbers of a run are contiguous from 1: a row covers `firstSeq .. firstSeq + count - 1`.
 * B4  A promise resolves only after the transaction is durable as the backend was configured.
 * B5  Appends of one run are applied in call order; one run's failure never fails another's append.
 * B6  `claim` gives a run to this owner only if it has no live owner, raises its epoch, and returns only what it took.
 * B7  Reading never changes anything.
 * B8  Rows come back byte for byte; a torn or missing row is visible by B3 or the checksum, never repaired silently.
 */
export interface Backend {
  /** For messages: `sqlite:/data/app.db`, `memory`. */
  readonly name: string;
  /** Registers this engine instance as a live owner. Called once, before anything else. */
  open(owner: string): Promise<void>;
  create(run: NewRun): Promise<CreateResult>;
  append(append: Append): Promise<AppendResult>;
  /** Journal rows in order, from the one that holds `fromSeq` (default 1). */
  read(runId: string, fromSeq?: number): AsyncIterable<JournalRow>;
  get(runId: string): Promise<RunRow | undefined>;
  /** Newest first. */
  list(filter?: RunFilter): Promise<RunRow[]>;
  /** Takes over runs in `statuses` that have no live owner; each comes back with its raised epoch and this owner. */
  claim(request: ClaimRequest): Promise<RunRow[]>;
  /** Gives up ownership without touching the journal; ignored when the epoch is no longer ours. */
  release(runId: string, epoch: number): Promise<void>;
  /** Stores bytes under their content hash, durable before it resolves; storing twice is harmless. */
  putBlob(hash: string, bytes: Uint8Array): Promise<void>;
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  /** Flushes, releases the owner's lock and closes. Safe to call twice. */
  close(): Promise<void>;
}

/** Where a run can stand. */
export const runStatuses = [
  "queued",
  "running",
  "interrupted",
  "drained",
  "completed",
  "failed",
  "cancelled",
  "discarded",
  "quarantined",
  "needs_review",
] as const;

export type RunStatus = (typeof runStatuses)[number];

export interface RunRow {
  readonly id: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly status: RunStatus;
  /** Engine instance that runs it, or null. */
  readonly owner: string | null;
  /** Raised by every claim; starts at 1. */
  readonly epoch: number;
  readonly lastSeq: number;
  /** Checksum chain after `lastSeq`. */
  readonly chain: number;
  /** Milliseconds since 1970, UTC. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  /** The caller's; null: none was given. Set when the run is created, and never changed. */
  readonly traceId: string | null;
  readonly labels: Labels | null;
}

export interface NewRun {
  readonly id: string;
  readonly graph: string;
  readonly fingerprint: string;
  readonly createdAt: number;
  readonly traceId?: string | null | undefined;
  /** Any strings, without NUL and lone surrogates. */
  readonly labels?: Labels | null | undefined;
  readonly first: JournalRow;
}

/** `exists`: the id is taken; nothing was written and `row` is what stands there. */
export type CreateResult = { readonly type: "created" } | { readonly type: "exists"; readonly row: RunRow };

/** Records `firstSeq .. firstSeq + count - 1` of one run, as the bytes of one commit. */
export interface JournalRow {
  readonly firstSeq: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  /** Unsigned 32 bits: checksum over the previous row's chain, `firstSeq`, `count` and `bytes`. */
  readonly chain: number;
}

export interface Append {
  readonly runId: string;
  readonly epoch: number;
  readonly row: JournalRow;
  /** Present when this batch changes the status (terminal, drained, interrupted, running again). */
  readonly status?: RunStatus | undefined;
  /** Present when the run goes on with another graph than before, on purpose. */
  readonly fingerprint?: string | undefined;
  /** Owner is given up in the same transaction (the run ended, drained or parked). */
  readonly release?: boolean | undefined;
  /** Wall clock of the writer, for `updatedAt`. */
  readonly at: number;
}

/** `lost`: another owner took the run, or `lastSeq` is not what this writer believes. */
export type AppendResult = { readonly type: "ok" } | { readonly type: "lost"; readonly row: RunRow | undefined };

export interface RunFilter {
  readonly status?: readonly RunStatus[] | undefined;
  readonly graph?: string | undefined;
  /** Runs that have all of these, among others. */
  readonly labels?: Labels | undefined;
  readonly limit?: number | undefined;
}

export interface ClaimRequest {
  readonly statuses: readonly RunStatus[];
  /** Only this run. */
  readonly runId?: string | undefined;
  /** Only runs of these graphs. */
  readonly graphs?: readonly string[] | undefined;
  readonly limit: number;
  readonly at: number;
}
