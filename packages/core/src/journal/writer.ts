/**
 * Writes the records of one run: collects them while a commit is on its way, then sends them as one row.
 *
 * J3  One append of a run is in flight at a time; its rows are contiguous.
 * J4  Blobs are durable before the row that names them.
 * J5  After a failed append nothing more is written: the listener is told once.
 */
import { errorOf, type MillraceError } from "../base/error.ts";
import { RecordKind, type At, type GraphNames } from "../events/record.ts";
import type { Append, Backend, RunStatus } from "../ports/backend.ts";
import type { Note, NoteKind } from "../ports/inbox.ts";
import type { Clock } from "../ports/clock.ts";
import type { Claimed, Recorder, RecorderListener } from "../runtime/recorder.ts";
import type { Event } from "../scheduler/event.ts";
import { addressOf, nodePath } from "../state/path.ts";
import type { Pending } from "../state/pending.ts";
import type { RunEnd, RunState } from "../state/run-state.ts";
import type { NewCarriedRow } from "../ports/thread.ts";
import { carryOf } from "./carry/carry.ts";
import { isInDoubt, unsafeBodyOf } from "../state/unsafe-bodies.ts";
import { hashValue } from "./codec/codec.ts";
import { openInvocationAddresses } from "./addresses.ts";
import { encodeAs } from "./encode-as.ts";
import { recordedItem, recordedItems } from "./recorded-items.ts";
import { packRow } from "./rows.ts";
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
  /** The run goes on with another graph: its `resumed` record and its row will say so. */
  readonly graphChange?: GraphNames | undefined;
}

export class JournalWriter implements Recorder {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #listener: RecorderListener;
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

  constructor(backend: Backend, clock: Clock, position: WriterPosition, listener: RecorderListener) {
    this.#backend = backend;
    this.#clock = clock;
    this.#listener = listener;
    this.#runId = position.runId;
    this.#epoch = position.epoch;
    this.#durable = position.seq;
    this.#chain = position.chain;
    this.#graphChange = position.graphChange;
  }

  get durable(): number {
    return this.#durable;
  }

  get congested(): boolean {
    return this.#backlog > congestedAt;
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
    return recordedItems(this.#backend, this.#runId, slot, address);
  }

  recordedItem(slot: number, address: string, index: number): Promise<unknown> {
    return recordedItem(this.#backend, this.#runId, slot, address, index);
  }

  record(run: RunState, event: Event, encoded: string): void {
    this.#push(this.#text(run, event, encoded));
    if (run.decided !== null || run.withdrawn !== null) for (const record of takeDecided(run)) this.#push(record);
    if (run.dropped !== null) for (const record of takeDropped(run)) this.#push(record);
  }

  #text(run: RunState, event: Event, encoded: string): string {
    const { kind, pending } = event;
    if (pending !== null) return invocationText(run, event, pending, encoded, this.#clock);
    if (kind === RecordKind.cancelRequested) return `[${kind},${JSON.stringify(event.reason)}]`;
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
  }

  recordParked(run: RunState, wake: number | null): void {
    this.#recordRest(run, "interrupted", wake);
  }

  #recordRest(run: RunState, status: "drained" | "interrupted", wake: number | null): void {
    run.seq++;
    const rest = wake === null ? {} : { wake };
    const ended = { status, errors: run.failures?.list() ?? [], ...rest, at: this.#clock.now() };
    this.#push(`[${RecordKind.ended},${JSON.stringify(ended)}]`);
    this.#status = status;
    this.#wakeAt = wake;
  }

  #push(record: string): void {
    this.#records.push(record);
    this.#backlog += record.length;
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
    this.#backend.append(append).then(
      (result) => {
        if (result.type === "lost") {
          this.#fail(leaseLost(this.#runId, this.#epoch, result.row?.epoch));
          return;
        }
        this.#durable += row.count;
        this.#chain = row.chain;
        this.#backlog -= size;
        this.#sending = false;
        this.#listener.onDurable();
        this.flush();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** J5 */
  #fail(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#listener.onLost(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Records of what a step decided and withdrew; they follow the record of the event that made it. */
export function takeDecided(run: RunState): string[] {
  const decided = (run.decided ?? []).map(
    ({ slot, owner, choice }) => `[${RecordKind.decision},${slot},${addressText(addressOf(owner))},${choice}]`,
  );
  const withdrawn = (run.withdrawn ?? []).map(
    ({ id, context }) => `[${RecordKind.withdrawn},${id},${addressText(addressOf(context))}]`,
  );
  run.seq += decided.length + withdrawn.length;
  run.decided = null;
  run.withdrawn = null;
  return [...decided, ...withdrawn];
}

/** Records of the items that a step dropped; they follow the record of the event that made it. */
export function takeDropped(run: RunState): string[] {
  const records = (run.dropped ?? []).map(
    ({ slot, owner, index }) => `[${RecordKind.dropped},${slot},${addressText(addressOf(owner))},${index}]`,
  );
  run.seq += records.length;
  run.dropped = null;
  return records;
}

export function addressText(at: At): string {
  return at === 0 ? "0" : `[${at.join(",")}]`;
}

function whereOf({ kind }: Event, { slot, context }: Pending): string {
  return `${kind},${slot.id},${addressText(addressOf(context))}`;
}

/** `clock`: for what the event itself tells no time of. */
export function invocationText(
  run: RunState,
  event: Event,
  pending: Pending,
  encoded: string,
  clock: Pick<Clock, "now">,
): string {
  const { kind } = event;
  const where = whereOf(event, pending);
  if (kind === RecordKind.fired || (kind === RecordKind.eof && encoded === "")) return `[${where}]`;
  if (kind === RecordKind.timerSet || kind === RecordKind.deadlineSet) return `[${where},${event.retryAt}]`;
  if (kind === RecordKind.unsafeStart) return `[${where},${pending.attempt},${event.retryAt}]`;
  if (kind === RecordKind.asked) return askedText(run, event, pending, encoded, toldAt(event, clock));
  if (kind === RecordKind.answered)
    return `[${where},${JSON.stringify(event.reason)},${encoded},${toldAt(event, clock)}]`;
  if (kind !== RecordKind.attemptFailed) return `[${where},${encoded}]`;
  const attempt = event.retryAt === null ? pending.attempt : pending.attempt - 1;
  return `[${where},${attempt},${event.retryAt},${encoded}]`;
}

function toldAt({ at }: Event, clock: Pick<Clock, "now">): number {
  return at ?? clock.now();
}

/** A question about a body in doubt has a number besides. */
function askedText(run: RunState, event: Event, pending: Pending, payload: string, at: number): string {
  const title = pending.slot.ask?.title ?? "";
  const path = JSON.stringify(nodePath(run.program.plan, pending.context, pending.id));
  const doubt = isInDoubt(pending) ? `,0,${unsafeBodyOf(run, pending)?.asked}` : "";
  const named = title === "" ? doubt : `,${JSON.stringify(title)}`;
  return `[${whereOf(event, pending)},${event.retryAt},${payload},${path},${at}${named}]`;
}

function leaseLost(runId: string, epoch: number, now: number | undefined): MillraceError {
  const by = now === undefined ? "the run is gone" : `epoch ${epoch} of this engine, epoch ${now} in the database`;
  return errorOf("LeaseLost", { runId, by });
}
