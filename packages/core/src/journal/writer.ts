/**
 * Writes the records of one run: collects them while a commit is on its way, then sends them as one row.
 *
 * J3  One append of a run is in flight at a time; its rows are contiguous.
 * J4  Blobs are durable before the row that names them.
 * J5  After a failed append nothing more is written: the listener is told once.
 * J6  Under `exit` durability rows are written when the run comes to rest or to its end, when it is taken up, when its engine
 *     leaves it, and when somebody outside was promised that something is durable; then all that is recorded is.
 * J7  A row holds some megabytes: a longer log is several rows, cut between events, in as many appends. Under `exit` one that is
 *     complete is written, so that what waits in memory is bounded, however long the log.
 */
import { RecordKind, type GraphNames } from "../events/record.ts";
import type { Append, Backend, JournalRow } from "../ports/backend.ts";
import type { NoteKind } from "../ports/inbox.ts";
import type { Clock } from "../ports/clock.ts";
import type { Claimed, Recorder, RecorderListener } from "../runtime/recorder.ts";
import type { Event } from "../scheduler/event.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import { BlobWriter } from "./blob-writer.ts";
import { carriedIn } from "./carry/carried-output.ts";
import { carryOf } from "./carry/carry.ts";
import { snapshotRecord, takenOf, type Before, type TakenSnapshot } from "./snapshot/record.ts";
import { Snapshots } from "./snapshot/snapshots.ts";
import { lengthOf, WaitingRecords } from "./waiting-records.ts";
import type { WriterPosition } from "./writer-position.ts";
import { leaseLost } from "./lease-lost.ts";
import { hashValue } from "./codec/codec.ts";
import { encodeAs } from "./encode-as.ts";
import type { JournalGuard } from "./limits.ts";
import { endedText, invocationText, restText, resumedText, stoppedText, takeDecided, takeDropped } from "./texts.ts";
import { writtenLimits } from "./started.ts";
import { itemsOf, recordedItem, recordedItems } from "./recorded-items.ts";
import { RowChanges } from "./row-changes.ts";
import { packRow } from "./rows.ts";
import { isFree } from "./size.ts";

const encoder = new TextEncoder();
const blobLimit = 64 * 1024;
/** Characters written and not yet durable above which nothing new is started under `async` durability. */
const congestedAt = 4 * 1024 * 1024;
/** The same under `exit`, in rows that are complete. */
const mostRows = 3;

export class JournalWriter implements Recorder {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #listener: RecorderListener;
  readonly #guard: JournalGuard;
  readonly #position: WriterPosition;
  readonly #blobs: BlobWriter;
  /** J6 */
  readonly #exit: boolean;
  #due = false;
  readonly #runId: string;
  readonly #epoch: number;
  #durable: number;
  #chain: number;
  readonly #waiting: WaitingRecords = new WaitingRecords();
  #backlog = 0;
  #sending = false;
  #idle: (() => void) | null = null;
  #lost = false;
  readonly #changes: RowChanges = new RowChanges();
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
    const { exit } = position;
    this.#exit = exit;
    const onBlob = { onStored: () => listener.onDurable(), onFailed: (error: unknown) => this.#fail(error) };
    this.#blobs = new BlobWriter(backend, clock, position.runId, exit ? onBlob : null);
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
    const { snapshots, logged = { characters: 0, rows: 0 } } = position;
    this.#snapshots =
      snapshots === undefined || backend.noteSnapshot === undefined ? null : new Snapshots(snapshots, logged);
  }

  get durable(): number {
    return this.#durable;
  }

  /** Under `exit` what is recorded waits by design; complete rows and blobs do not. */
  get congested(): boolean {
    if (!this.#exit) return this.#backlog > congestedAt;
    return this.#blobs.underWay > congestedAt || this.#waiting.rows > mostRows;
  }

  get full(): Recorder["full"] {
    return this.#guard.full;
  }

  get alive(): boolean {
    return this.#position.alive();
  }

  async claim(kind: NoteKind, key: string, encoded: string, by: string): Promise<Claimed> {
    const note = { runId: this.#runId, kind, key, bytes: encoder.encode(encoded), by: by === "" ? null : by };
    const result = await this.#backend.post({ ...note, at: this.#clock.now(), wakes: [] });
    if (result.type === "exists") return { type: "taken", note: result.note };
    if (result.type === "posted") return { type: "ours", id: result.id };
    throw leaseLost(this.#runId, this.#epoch, result.row?.epoch);
  }

  taken(kind: NoteKind, key: string): void {
    this.#changes.handled(kind, key);
  }

  takeBack(id: number): void {
    // Whoever says it again is refused until this is through; if it fails, the next owner finds it and does the same.
    this.#backend.reject(this.#runId, id).catch(() => undefined);
  }

  encode(value: unknown, what: string): string {
    const text = encodeAs(what, value);
    if (text.length <= blobLimit) return text;
    const { reference, size } = this.#blobs.store(text);
    this.#backlog += size;
    this.#snapshots?.logged(size);
    return reference;
  }

  hash(value: unknown): string {
    return hashValue(value);
  }

  recordedItems(slot: number, address: string): AsyncIterator<unknown> {
    return recordedItems(itemsOf(this.#backend, this.#position, slot, address));
  }

  recordedItem(slot: number, address: string, index: number): Promise<unknown> {
    return recordedItem(itemsOf(this.#backend, this.#position, slot, address), index);
  }

  record(run: RunState, event: Event, encoded: string): void {
    this.#run = run;
    this.#waiting.begin();
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
    this.#due = true;
    this.#changes.takenUp(this.#graphChange?.fingerprint);
    return resumedText(run, { epoch: this.#epoch, change: this.#graphChange, crashed });
  }

  recordEnd(run: RunState, end: RunEnd): void {
    const { status } = end;
    const carry = status === "completed" ? carryOf(run) : undefined;
    const output = status === "completed" ? this.#outputText(run, end.output, carry) : "";
    this.#changes.carry = carry;
    run.seq++;
    this.#push(endedText(end, output, this.#clock.now()));
    this.#changes.status = status;
    this.#due = true;
  }

  /** As fields of the record. */
  #outputText(run: RunState, output: unknown, carry: Append["carry"]): string {
    const last = run.thread?.last ?? 0;
    const found = carriedIn(run, output, carry === undefined ? last : last + 1);
    if (found === null) return `,"output":${this.encode(output, "output")}`;
    const { carried, own } = found;
    const rest = own === null || Object.keys(own).length === 0 ? "" : `,"output":${this.encode(own, "output")}`;
    return `${rest},"carried":${JSON.stringify(carried)}`;
  }

  recordDrained(run: RunState, queued: boolean): void {
    this.#recordRest(run, "drained", null);
    if (queued) this.#changes.status = "queued";
    this.flush();
  }

  recordParked(run: RunState, wake: number | null): void {
    this.#recordRest(run, "interrupted", wake);
    this.flush();
  }

  #recordRest(run: RunState, status: "drained" | "interrupted", wake: number | null): void {
    run.seq++;
    this.#push(restText(run, status, wake, this.#clock.now()));
    this.#changes.status = status;
    this.#changes.wakeAt = wake;
    this.#due = true;
  }

  #push(record: string, isFree = false): void {
    this.#guard.count(record, this.#waiting.count, isFree);
    this.#waiting.push(record);
    this.#backlog += record.length;
    this.#snapshots?.logged(record.length);
  }

  wanted(): void {
    // What is on its way already needs no other row.
    if (!this.#exit || this.#waiting.count === 0) return;
    this.#due = true;
    this.flush();
  }

  /** Under `exit` nobody else would write what is recorded. */
  leave(): Promise<void> {
    if (!this.#exit) return Promise.resolve();
    this.#due = true;
    this.flush();
    return new Promise((resolve) => {
      this.#idle = resolve;
      if (!this.#sending || this.#lost) resolve();
    });
  }

  flush(): void {
    if (this.#sending || this.#lost || this.#waiting.count === 0) return;
    if (this.#exit && !this.#due && this.#waiting.rows === 0) return;
    this.#sending = true;
    if (this.#blobs.stored) this.#send();
    else this.#sendAfterBlobs();
  }

  /** J4: also for the records that came while the first blobs were on their way. */
  #sendAfterBlobs(): void {
    this.#blobs.settled().then(
      () => (this.#blobs.stored ? this.#send() : this.#sendAfterBlobs()),
      (error: unknown) => this.#fail(error),
    );
  }

  /** J3, J7 */
  #send(): void {
    const { records, isWhole } = this.#waiting.take();
    const size = isWhole ? this.#backlog : lengthOf(records);
    const row = packRow(records, this.#durable + 1, this.#chain);
    this.#guard.packed(row, records);
    this.#snapshots?.row();
    const { due = false } = this.#snapshots ?? {};
    // Of the state behind these records: it goes behind them, and before any others.
    const snapshot = due && isWhole ? this.#takeSnapshot(this.#durable + row.count) : null;
    this.#append(this.#appendOf(row, isWhole), size, snapshot !== null, () => {
      this.#listener.onDurable();
      if (snapshot === null) this.flush();
      else this.#sendSnapshot(snapshot);
    });
  }

  /** What changes with the log is written with the last of it. Blobs may be named too early, never too late. */
  #appendOf(row: JournalRow, isWhole: boolean): Append {
    if (isWhole) this.#due = false;
    const changes = isWhole ? this.#changes.whole() : this.#changes.part();
    const { epoch } = this.#position;
    return { runId: this.#runId, epoch, row, ...changes, blobs: this.#blobs.named(), at: this.#clock.now() };
  }

  /** `size`: what it was of the backlog. `goesOn`: it is not over with this append (J3). */
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
        if (!this.#sending) this.#idle?.();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Between two steps, with all records of the run in the row that is sent: `lastSeq` is its last. */
  #takeSnapshot(lastSeq: number): TakenSnapshot | null {
    const run = this.#run;
    if (run === null || this.#changes.rests || run.end !== null || run.seq !== lastSeq) return null;
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
    this.#idle?.();
    this.#listener.onLost(error instanceof Error ? error : new Error(String(error)));
  }
}
