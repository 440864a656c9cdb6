/**
 * Writes the records of one run: collects them while a commit is on its way, then sends them as one row.
 *
 * J3  One append of a run is in flight at a time; its rows are contiguous.
 * J4  Blobs are durable before the row that names them.
 * J5  After a failed append nothing more is written: the listener is told once.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { RecordKind, type GraphNames } from "../events/record.ts";
import type { Append, Backend, RunStatus } from "../ports/backend.ts";
import type { Note, NoteKind } from "../ports/inbox.ts";
import type { Clock } from "../ports/clock.ts";
import type { Claimed, Recorder, RecorderListener } from "../runtime/recorder.ts";
import type { Event } from "../scheduler/event.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import type { NewCarriedRow } from "../ports/thread.ts";
import { carryOf } from "./carry/carry.ts";
import { snapshotRecord, takenOf, type Before, type TakenSnapshot } from "./snapshot/record.ts";
import { Snapshots, type SnapshotPolicy } from "./snapshot/snapshots.ts";
import { hashValue } from "./codec/codec.ts";
import { openInvocationAddresses } from "./addresses.ts";
import { encodeAs } from "./encode-as.ts";
import type { JournalGuard } from "./limits.ts";
import { invocationText, stoppedText, takeDecided, takeDropped } from "./texts.ts";
import { writtenLimits, type Terms } from "./started.ts";
import type { RecordedGraph } from "./recorded-graph.ts";
import { itemsOf, recordedItem, recordedItems } from "./recorded-items.ts";
import { packRow } from "./rows.ts";
import { isFree, type JournalSize } from "./size.ts";
import { systemSha256 } from "../ports/system.ts";

const encoder = new TextEncoder();
const blobLimit = 64 * 1024;
/** Characters written and not yet durable above which nothing new is started under `async` durability. */
const congestedAt = 4 * 1024 * 1024;

export interface WriterPosition {
  readonly runId: string;
  readonly epoch: number;
  readonly seq: number;
  readonly chain: number;
  /** Characters of log since the last snapshot. Default 0. */
  readonly logged?: number | undefined;
  /** Absent: no snapshots are written. */
  readonly snapshots?: SnapshotPolicy | undefined;
  /** The run goes on with another graph: its `resumed` record and its row will say so. */
  readonly graphChange?: GraphNames | undefined;
  /** Up to there. */
  readonly size: JournalSize;
  /** What the run's caller wanted of its limits. */
  readonly limits: Terms["limits"];
  /** What the records until here speak of; null: the plan. */
  readonly recorded?: RecordedGraph | null;
}

export class JournalWriter implements Recorder {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #listener: RecorderListener;
  readonly #guard: JournalGuard;
  readonly #position: WriterPosition;
  readonly #runId: string;
  readonly #epoch: number;
  #durable: number;
  #chain: number;
  #records: string[] = [];
  #backlog = 0;
  #sending = false;
  #lost = false;
  #status: RunStatus | undefined;
  #fingerprint: string | undefined;
  #wakeAt: number | null = null;
  #carry: NewCarriedRow | undefined;
  #taken: Pick<Note, "kind" | "key">[] | undefined;
  #blobs: Promise<void>[] | null = null;
  /** Hashes that the records name which were not sent yet. */
  #named: string[] | undefined;
  readonly #graphChange: GraphNames | undefined;
  readonly #snapshots: Snapshots | null;
  #run: RunState | null = null;

  constructor(
    backend: Backend,
    clock: Clock,
    position: WriterPosition,
    guard: JournalGuard,
    listener: RecorderListener,
  ) {
    this.#backend = backend;
    this.#clock = clock;
    this.#guard = guard;
    this.#listener = listener;
    this.#position = position;
    this.#runId = position.runId;
    this.#epoch = position.epoch;
    this.#durable = position.seq;
    this.#chain = position.chain;
    this.#graphChange = position.graphChange;
    const { snapshots, logged = 0 } = position;
    this.#snapshots =
      snapshots === undefined || backend.noteSnapshot === undefined ? null : new Snapshots(snapshots, logged);
  }

  get durable(): number {
    return this.#durable;
  }

  get congested(): boolean {
    return this.#backlog > congestedAt;
  }

  get full(): Recorder["full"] {
    return this.#guard.full;
  }

  get alive(): boolean {
    return this.#backend.alive?.() ?? true;
  }

  async claim(kind: NoteKind, key: string, encoded: string, by: string): Promise<Claimed> {
    const note = { runId: this.#runId, kind, key, bytes: encoder.encode(encoded), by: by === "" ? null : by };
    const result = await this.#backend.post({ ...note, at: this.#clock.now(), wakes: [] });
    if (result.type === "exists") return { type: "taken", note: result.note };
    if (result.type === "posted") return { type: "ours", id: result.id };
    throw leaseLost(this.#runId, this.#epoch, result.row?.epoch);
  }

  taken(kind: NoteKind, key: string): void {
    (this.#taken ??= []).push({ kind, key });
  }

  takeBack(id: number): void {
    // Whoever says it again is refused until this is through; if it fails, the next owner finds it and does the same.
    this.#backend.reject(this.#runId, id).catch(() => undefined);
  }

  encode(value: unknown, what: string): string {
    const text = encodeAs(what, value);
    return text.length > blobLimit ? this.#storeBlob(text) : text;
  }

  /** J4 */
  #storeBlob(text: string): string {
    const bytes = encoder.encode(text);
    const hash = systemSha256(bytes);
    this.#blobs ??= [];
    this.#backlog += bytes.length;
    this.#snapshots?.logged(bytes.length);
    const stored = this.#backend.putBlob(hash, bytes);
    // It is awaited when its row is sent; until then nobody listens.
    stored.catch(() => undefined);
    this.#blobs.push(stored);
    (this.#named ??= []).push(hash);
    return `{"$b":"${hash}"}`;
  }

  hash(value: unknown): string {
    return hashValue(value);
  }

  recordedItems(slot: number, address: string): AsyncIterator<string> {
    return recordedItems(itemsOf(this.#backend, this.#position, slot, address));
  }

  recordedItem(slot: number, address: string, index: number): Promise<unknown> {
    return recordedItem(itemsOf(this.#backend, this.#position, slot, address), index);
  }

  record(run: RunState, event: Event, encoded: string): void {
    this.#run = run;
    this.#push(this.#text(run, event, encoded), isFree(event.kind, event.pending?.slot));
    if (run.decided !== null || run.withdrawn !== null) for (const record of takeDecided(run)) this.#push(record);
    if (run.dropped !== null) this.#pushDropped(run, run.dropped);
  }

  #pushDropped(run: RunState, dropped: NonNullable<RunState["dropped"]>): void {
    const { slots } = run.program.plan;
    takeDropped(run).forEach((record, i) =>
      this.#push(record, isFree(RecordKind.dropped, slots[dropped[i]?.slot as number])),
    );
  }

  #text(run: RunState, event: Event, encoded: string): string {
    const { kind, pending } = event;
    if (pending !== null) return invocationText(run, event, pending, encoded, this.#clock);
    if (kind === RecordKind.cancelRequested) return `[${kind},${JSON.stringify(event.reason)}]`;
    if (kind === RecordKind.stopped) return stoppedText(event);
    if (kind === RecordKind.finalizerOver) return `[${kind},${event.value as number}]`;
    if (kind === RecordKind.resumed) return this.#resumedText(run, event.retryAt as number);
    return `[${kind}]`;
  }

  #resumedText(run: RunState, crashed: number): string {
    this.#status = "running";
    this.#fingerprint = this.#graphChange?.fingerprint;
    const change = this.#graphChange === undefined ? "0" : JSON.stringify(this.#graphChange);
    return `[${RecordKind.resumed},${this.#epoch},${openInvocationAddresses(run)},${change},${crashed}]`;
  }

  recordEnd(run: RunState, end: RunEnd, output: string): void {
    const { status, errors, reason } = end;
    if (status === "completed") this.#carry = carryOf(run);
    const encoded = status === "completed" ? `,"output":${output}` : "";
    const rest = JSON.stringify({ status, errors, ...(reason === "" ? {} : { reason }), at: this.#clock.now() });
    run.seq++;
    this.#push(`[${RecordKind.ended},${rest.slice(0, -1)}${encoded}}]`);
    this.#status = status;
  }

  recordDrained(run: RunState, queued: boolean): void {
    this.#recordRest(run, "drained", null);
    if (queued) this.#status = "queued";
    this.flush();
  }

  recordParked(run: RunState, wake: number | null): void {
    this.#recordRest(run, "interrupted", wake);
    this.flush();
  }

  #recordRest(run: RunState, status: "drained" | "interrupted", wake: number | null): void {
    run.seq++;
    const rest = wake === null ? {} : { wake };
    const ended = { status, errors: run.failures?.list() ?? [], ...rest, at: this.#clock.now() };
    this.#push(`[${RecordKind.ended},${JSON.stringify(ended)}]`);
    this.#status = status;
    this.#wakeAt = wake;
  }

  #push(record: string, isFree = false): void {
    this.#guard.count(record, this.#records.length, isFree);
    this.#records.push(record);
    this.#backlog += record.length;
    this.#snapshots?.logged(record.length);
  }

  flush(): void {
    if (this.#sending || this.#lost || this.#records.length === 0) return;
    this.#sending = true;
    if (this.#blobs === null) this.#send();
    else this.#sendAfterBlobs(this.#blobs);
  }

  /** J4: also for the records that came while the first blobs were on their way. */
  #sendAfterBlobs(blobs: Promise<void>[]): void {
    this.#blobs = null;
    Promise.all(blobs).then(
      () => (this.#blobs === null ? this.#send() : this.#sendAfterBlobs(this.#blobs)),
      (error: unknown) => this.#fail(error),
    );
  }

  /** J3 */
  #send(): void {
    const records = this.#records;
    const size = this.#backlog;
    this.#records = [];
    const row = packRow(records, this.#durable + 1, this.#chain);
    this.#guard.packed(row);
    const { due = false } = this.#snapshots ?? {};
    // Of the state behind these records: it goes behind them, and before any others.
    const snapshot = due ? this.#takeSnapshot(this.#durable + row.count) : null;
    const status = this.#status;
    const release = status !== undefined && status !== "running";
    const append: Append = {
      runId: this.#runId,
      epoch: this.#epoch,
      row,
      status,
      fingerprint: this.#fingerprint,
      release,
      wakeAt: this.#wakeAt,
      handled: this.#taken,
      blobs: this.#named,
      carry: this.#carry,
      at: this.#clock.now(),
    };
    this.#status = undefined;
    this.#fingerprint = undefined;
    this.#wakeAt = null;
    this.#taken = undefined;
    this.#named = undefined;
    this.#carry = undefined;
    this.#append(append, size, snapshot !== null, () => {
      this.#listener.onDurable();
      if (snapshot === null) this.flush();
      else this.#sendSnapshot(snapshot);
    });
  }

  /** `goesOn`: it is not over with this append (J3). */
  #append(append: Append, size: number, goesOn: boolean, then: () => void): void {
    this.#sending = true;
    const { row } = append;
    this.#backend.append(append).then(
      (result) => {
        if (result.type === "lost") {
          this.#fail(leaseLost(this.#runId, this.#epoch, result.row?.epoch));
          return;
        }
        this.#durable += row.count;
        this.#chain = row.chain;
        this.#backlog -= size;
        this.#sending = goesOn;
        then();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Between two steps, with all records of the run in the row that is sent: `lastSeq` is its last. */
  #takeSnapshot(lastSeq: number): TakenSnapshot | null {
    const run = this.#run;
    const rests = this.#status !== undefined && this.#status !== "running";
    if (run === null || rests || run.end !== null || run.seq !== lastSeq) return null;
    const text = this.#snapshots?.take(run) ?? null;
    if (text === null) return null;
    const taken = takenOf(run, text, this.#before);
    run.seq++;
    return taken;
  }

  get #before(): Before {
    const { size, limits } = this.#position;
    return { counted: [size.records, size.bytes], ...(limits !== null && { limits: writtenLimits(limits) }) };
  }

  /** J4: its state may be a blob. */
  #sendSnapshot(taken: TakenSnapshot): void {
    const { header, bytes, blobs } = taken;
    const send = (): void => {
      const row = packRow([snapshotRecord(taken, this.#chain)], this.#durable + 1, this.#chain);
      const append = { runId: this.#runId, epoch: this.#epoch, row, blobs, at: this.#clock.now() };
      this.#append(append, 0, false, () => {
        // A hint: whoever does not know of it replays more.
        this.#backend.noteSnapshot?.(this.#runId, row.firstSeq).catch(() => undefined);
        this.#listener.onDurable();
        this.flush();
      });
    };
    if (bytes === null) send();
    else this.#backend.putBlob(header.hash, bytes).then(send, (error: unknown) => this.#fail(error));
  }

  /** J5 */
  #fail(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#listener.onLost(error instanceof Error ? error : new Error(String(error)));
  }
}

function leaseLost(runId: string, epoch: number, now: number | undefined): MillraceError {
  const by = now === undefined ? "the run is gone" : `epoch ${epoch} of this engine, epoch ${now} in the database`;
  return errorOf("LeaseLost", { runId, by });
}
