/**
 * What is seen of one run from outside of all engines: who had it when, what was acknowledged to whom, which bodies began.
 * What can only be judged at the moment it happens is judged here.
 *
 * I3 one owner per record, epochs never fall · I6 nothing follows the end · I2 records are contiguous.
 */
import type { OpCtx } from "../../model/op.ts";
import { endedStatuses, type Append, type AppendResult, type RunRow, type RunStatus } from "../../ports/backend.ts";
import { openInvocations } from "../../state/invocations.ts";
import { isAsked } from "../../state/unsafe-bodies.ts";
import type { RunState } from "../../state/run-state.ts";
import type { RunResult } from "../../engine/api.ts";
import type { StreamEvent } from "../../engine/stream/events.ts";
import type { Entry } from "../simulate/playhouse.ts";

/** A process, as far as its runs are concerned. */
export interface Owner {
  readonly name: string;
  readonly state: "up" | "stalled" | "dead";
}

/** The time during which one process had the run under one epoch. */
export class Ownership {
  readonly epoch: number;
  /** Records that were durable when it began. */
  readonly from: number;
  /** The status of the run's row then. */
  readonly found: RunStatus;
  readonly entries: Entry[] = [];
  /** By record: the clock at its step. */
  readonly times: Map<number, number> = new Map();
  state: RunState | null = null;
  /** The record of the step that was taken last. */
  seq = 0;

  readonly #owner: Owner;

  constructor(epoch: number, owner: Owner, from: number, found: RunStatus) {
    this.epoch = epoch;
    this.#owner = owner;
    this.from = from;
    this.found = found;
  }

  /** Its process is gone, or stands still. */
  get isLost(): boolean {
    return this.#owner.state !== "up";
  }

  /** @param keys look at its idempotency key: a hash. */
  enter(ctx: OpCtx, keys: boolean): void {
    const { path, node, attempt } = ctx;
    const key = keys ? ctx.idempotencyKey : undefined;
    this.entries.push({ path, node, attempt, key, after: this.seq, session: 0 });
  }
}

export interface Acknowledged {
  readonly epoch: number;
  /** The last record of the row. */
  readonly seq: number;
  readonly chain: number;
  readonly to: string;
}

/** An answer that somebody was told is durable. */
export interface Promised {
  readonly path: string;
  /** Null: whoever. */
  readonly by: string | null;
  /** By the process that drove the run: it is a record. Else it may be a note, for whoever drives it. */
  readonly isRecord: boolean;
}

/** What somebody who read the run along was told. */
export interface Reading {
  readonly by: string;
  readonly events: StreamEvent[];
}

export class Track {
  readonly id: string;
  readonly ownerships: Ownership[] = [];
  readonly acknowledged: Acknowledged[] = [];
  readonly promised: Promised[] = [];
  readonly readings: Reading[] = [];
  readonly faults: string[] = [];
  /** What engines said that it ended as. */
  readonly told: { readonly by: string; readonly result: RunResult<unknown> }[] = [];
  ended = false;
  /** When it goes on by itself. */
  wakeAt: number | null = null;
  /** Appends that the store refused. */
  refused = 0;
  /** Of the store, whether or not its reply arrives. */
  lastSeq = 0;

  constructor(id: string) {
    this.id = id;
  }

  get current(): Ownership | undefined {
    return this.ownerships.at(-1);
  }

  /** It may have open questions: as far as its last owner knows, if that is there and knows of it. */
  get asks(): boolean {
    const { current } = this;
    if (this.ended || current === undefined) return false;
    return current.isLost || current.state === null || openInvocations(current.state).some(isAsked);
  }

  created(owner: Owner, count: number, chain: number): Ownership {
    if (this.ownerships.length > 0) this.faults.push(`I3: ${owner.name} created a run that was there`);
    this.lastSeq = count;
    this.acknowledged.push({ epoch: 1, seq: count, chain, to: owner.name });
    return this.#add(new Ownership(1, owner, 0, "running"));
  }

  claimed(owner: Owner, { epoch, lastSeq, status }: RunRow): Ownership {
    const before = this.current?.epoch ?? 0;
    if (epoch <= before) this.faults.push(`I3: ${owner.name} was given epoch ${epoch} after epoch ${before}`);
    return this.#add(new Ownership(epoch, owner, lastSeq, status));
  }

  #add(ownership: Ownership): Ownership {
    this.ownerships.push(ownership);
    return ownership;
  }

  /** `ok` of the store, whether or not its reply arrives. */
  appended(by: string, { epoch, row, status, wakeAt = null }: Append, result: AppendResult): void {
    if (result.type !== "ok") {
      this.refused++;
      return;
    }
    this.wakeAt = status === "interrupted" ? wakeAt : null;
    const now = this.current?.epoch ?? 0;
    if (epoch !== now)
      this.faults.push(`I3: ${by} wrote record ${row.firstSeq} under epoch ${epoch} after epoch ${now}`);
    if (this.ended) this.faults.push(`I6: ${by} wrote record ${row.firstSeq} behind the end of the run`);
    if (row.firstSeq !== this.lastSeq + 1)
      this.faults.push(`I2: ${by} wrote record ${row.firstSeq} behind record ${this.lastSeq}`);
    this.lastSeq = row.firstSeq + row.count - 1;
    this.acknowledged.push({ epoch, seq: this.lastSeq, chain: row.chain, to: by });
    if (status !== undefined && endedStatuses.has(status)) this.ended = true;
  }
}
