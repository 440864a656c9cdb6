import { errorOf } from "../../base/error.ts";
import type { Append, AppendResult } from "../../ports/backend.ts";
import { takeBatch, type Group } from "./batch.ts";
import type { JournalTail } from "./calls.ts";
import type { Entry } from "./entry.ts";
import type { Failures } from "./failures.ts";
import { pauseAfter } from "./patience.ts";
import { toRunRow, type StoredRow } from "./stored-row.ts";

const appended: AppendResult = { type: "ok" };
const mostConflicts = 5;

/** The connection that appends. Only `commit` is one try. */
export interface Appending {
  readonly failures: Failures;
  /** How long an append that is lost again and again is tried, milliseconds. */
  readonly patienceMs: number;
  /** Resolves when there is a connection, and what the one before it was doing is over, one way or the other. */
  ready(): Promise<unknown>;
  /** Whether the process has to wait for it. */
  keepAlive(isBusy: boolean): void;
  /** See `AppendDriver.commit`. */
  commit(groups: readonly Group[]): Promise<ReadonlySet<number>>;
  findTail(runId: string, firstSeq: number): Promise<JournalTail | undefined>;
  findRun(runId: string): Promise<StoredRow | undefined>;
  /** See `AppendDriver.freeHeld`. */
  freeHeld(): Promise<unknown>;
}

/** What the journal says of an append whose answer did not come. */
interface Found {
  /** Its chain speaks for its bytes and everything before them. */
  readonly isPresent: boolean;
  readonly epoch: number | undefined;
  readonly lastSeq: number | undefined;
}

/**
 * Group commit over all runs: what waited while the last commit was on its way goes out together, as one statement. A run that
 * is fenced off is lost alone, and a statement that fails takes nobody with it (H14, B5).
 */
export class AppendQueue {
  readonly #appending: Appending;
  readonly #backend: string;
  #queue: Entry[] = [];
  #isRunning = false;
  #closed: Error | undefined;
  #whenIdle: (() => void)[] = [];

  constructor(appending: Appending, backend: string) {
    this.#appending = appending;
    this.#backend = backend;
  }

  push(append: Append): Promise<AppendResult> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      this.#queue.push({ append, resolve, reject, company: "any", losses: 0, firstLostAt: undefined, conflicts: 0 });
      if (this.#isRunning) return;
      this.#isRunning = true;
      // After the promises of this tick, so that writers that one commit woke go into the next one together.
      process.nextTick(() => void this.#run());
    });
  }

  /** Resolves when everything pushed so far is settled. */
  async idle(): Promise<void> {
    if (!this.#isRunning) return;
    await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  abandon(error: Error): void {
    this.#closed = error;
    for (const entry of this.#queue.splice(0)) entry.reject(error);
  }

  async #run(): Promise<void> {
    this.#appending.keepAlive(true);
    while (this.#queue.length > 0) {
      const { groups, rest } = takeBatch(this.#queue);
      this.#queue = rest;
      await this.#commit(groups);
    }
    this.#isRunning = false;
    this.#appending.keepAlive(false);
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #commit(groups: readonly Group[]): Promise<void> {
    try {
      await this.#appending.ready();
    } catch (error) {
      // Nothing was sent; and what waits behind would only wait as long again.
      this.#fail([...entriesOf(groups), ...this.#queue.splice(0)], error);
      return;
    }
    try {
      await this.#settle(groups, await this.#appending.commit(groups));
    } catch (error) {
      await this.#failed(groups, error);
    }
  }

  /** A group that was lost as a whole may hold appends that are not. */
  async #settle(groups: readonly Group[], kept: ReadonlySet<number>): Promise<void> {
    const lost: Entry[] = [];
    for (const [i, { entries }] of groups.entries()) {
      if (kept.has(i)) for (const entry of entries) entry.resolve(appended);
      else lost.push(...entries);
    }
    if (lost.length === 0) return;
    const alone = new Set(groups.filter(({ entries }) => entries.length === 1).flatMap(({ entries }) => entries));
    this.#again(lost.filter((entry) => !alone.has(entry)).map((entry) => ({ ...entry, company: "single" })));
    await Promise.all(lost.filter((entry) => alone.has(entry)).map((entry) => this.#tellLost(entry)));
  }

  async #tellLost(entry: Entry): Promise<void> {
    const { runId } = entry.append;
    try {
      if (entry.losses > 0 && (await this.#find(entry)).isPresent) return entry.resolve(appended);
      const row = await this.#appending.findRun(runId);
      entry.resolve({ type: "lost", row: row === undefined ? undefined : toRunRow(row) });
    } catch (error) {
      // It is certain that the append did not happen; only who has the run is not known.
      entry.reject(this.#appending.failures.toError(error));
    }
  }

  async #failed(groups: readonly Group[], error: unknown): Promise<void> {
    const entries = entriesOf(groups);
    const { failures } = this.#appending;
    if (failures.isLost(error)) return this.#settleUnknown(entries, error);
    if (failures.isHeldUp(error)) await this.#appending.freeHeld().catch(() => undefined);
    if (failures.isFull(error)) return this.#fail(entries, error);
    const isConflict = failures.isTransient(error) || (failures.isHeldUp(error) && entries.length === 1);
    if (isConflict && entries.every(({ conflicts }) => conflicts < mostConflicts)) {
      return this.#again(entries.map((entry) => ({ ...entry, conflicts: entry.conflicts + 1 })));
    }
    if (entries.length === 1) return this.#fail(entries, error);
    this.#again(entries.map((entry) => ({ ...entry, company: "alone" })));
  }

  /**
   * H16: the connection went before the answer came. The new one ended the old one first, so what is in the journal now is all
   * that came of it.
   */
  async #settleUnknown(entries: readonly Entry[], error: unknown): Promise<void> {
    let found: readonly Found[];
    try {
      await this.#appending.ready();
      found = await Promise.all(entries.map((entry) => this.#find(entry)));
    } catch {
      for (const entry of entries) entry.reject(this.#unknown(entry, error));
      return;
    }
    const again: Entry[] = [];
    const ends = new Map<string, number>();
    const now = performance.now();
    for (const [i, entry] of entries.entries()) {
      const { runId, epoch, row } = entry.append;
      const state = found[i]!;
      const isNext = state.epoch === epoch && (ends.get(runId) ?? state.lastSeq) === row.firstSeq - 1;
      if (state.isPresent) entry.resolve(appended);
      else if (!isNext) await this.#tellLost(entry);
      else if (now - (entry.firstLostAt ?? now) > this.#appending.patienceMs) this.#fail([entry], error);
      else {
        again.push(lostOnceMore(entry, now));
        ends.set(runId, row.firstSeq + row.count - 1);
      }
    }
    const losses = Math.max(0, ...again.map((entry) => entry.losses));
    if (losses > 1) await pauseAfter(losses);
    this.#again(again);
  }

  #again(entries: readonly Entry[]): void {
    if (this.#closed === undefined) this.#queue.unshift(...entries);
    else for (const entry of entries) entry.reject(this.#closed);
  }

  #fail(entries: readonly Entry[], error: unknown): void {
    for (const entry of entries) entry.reject(this.#closed ?? this.#appending.failures.toError(error));
  }

  #unknown({ append }: Entry, error: unknown): Error {
    if (this.#closed !== undefined) return this.#closed;
    const detail = error instanceof Error ? error.message : String(error);
    return errorOf("DatabaseUnavailable.unknown", { backend: this.#backend, runId: append.runId, detail });
  }

  async #find({ append: { runId, row } }: Entry): Promise<Found> {
    const tail = await this.#appending.findTail(runId, row.firstSeq);
    const isPresent = tail?.count === row.count && tail.chain === row.chain;
    return { isPresent, epoch: tail?.epoch, lastSeq: tail?.lastSeq };
  }
}

/** From its second loss on it goes alone: it may be what the server does not survive, and others are not to be lost with it. */
function lostOnceMore(entry: Entry, now: number): Entry {
  const { company, losses, firstLostAt = now } = entry;
  return { ...entry, company: losses > 0 ? "alone" : company, losses: losses + 1, firstLostAt };
}

function entriesOf(groups: readonly Group[]): Entry[] {
  return groups.flatMap(({ entries }) => entries);
}
