/**
 * One reader's place in the events of one run.
 *
 * V1  Events come in order, each once, and none before its record is durable.
 * V2  What waits for a slow reader is bounded: with a journal it is read again from there, without one the reading ends
 *     with `StreamOverflow`. It is never cut without a word.
 * V3  When the run ends, is cancelled or is lost, the reading ends: after what was durable, with the result or the error.
 */
import { errorOf } from "../../base/error.ts";
import type { RunTags } from "../../model/tags.ts";
import { Fifo } from "../../state/fifo.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import type { Cells } from "../api.ts";
import { resultOf } from "../result.ts";
import type { CustomEvent, StreamEvent, StreamMode, StreamOptions } from "./events.ts";
import type { Polled, Source } from "./iteration.ts";
import { StartedFirst } from "./started-first.ts";

/** Events of the past, in batches: what the run did up to and with record `until`. Those before `from` may be passed over. */
export type History = (span: {
  readonly from: number;
  readonly until: number;
}) => AsyncGenerator<readonly StreamEvent[]>;

/** The run as its reader sees it. */
export interface ReadRun {
  readonly runId: string;
  /** Number of its last event. */
  readonly seq: number;
  /** Up to where events may be shown. */
  readonly durable: number;
  /** What its cells hold; asked when the run is over. */
  cells(): Cells;
  /** What its caller marked it with. */
  readonly tags: RunTags | null;
}

const defaultBuffer = 16_384;

/** An event whose place is being found. */
type Counting = { -readonly [K in "seq" | "part"]: number } & (
  | { readonly mode: Exclude<StreamMode, "tasks"> }
  | { readonly mode: "tasks"; readonly task: string }
);

/** In the place of so many events of a task which this reader was given before they had places. */
export type Had = CustomEvent & { readonly had: number };

function isHad(event: StreamEvent): event is Had {
  return "had" in event;
}

/** It is in no journal, and has no place among what is. */
function isFleeting(event: StreamEvent): boolean {
  return "durable" in event;
}

export class EventReader implements Source<StreamEvent> {
  readonly #run: ReadRun;
  readonly #history: History | null;
  readonly #limit: number;
  readonly #showsResult: boolean;
  readonly #starts: StartedFirst = new StartedFirst();
  /** What waits to be given: of the past first, then of the present. */
  #past: Fifo<StreamEvent> = new Fifo();
  #present: Fifo<StreamEvent> = new Fifo();
  #reading: AsyncGenerator<readonly StreamEvent[]> | null = null;
  /** Where the past that is being read ends; null: there is none to read. */
  #until: number | null;
  /** The last event that was taken, as its number and its place among those of that number. Starts do not count. */
  #seq: number;
  #place: number;
  /** Of those, how many the past still has to pass over. */
  #passed = 0;
  /** The first event that there was no room for. */
  #lost: number | null = null;
  #held: StreamEvent | null = null;
  #outcome: Outcome | Error | null = null;
  #told = false;
  readonly #onClose: (left: boolean) => void;

  constructor(
    run: ReadRun,
    modes: ReadonlySet<StreamMode>,
    options: StreamOptions,
    history: History | null,
    onClose: (left: boolean) => void,
  ) {
    this.#run = run;
    this.#history = history;
    this.#limit = options.buffer ?? defaultBuffer;
    this.#showsResult = modes.has("output");
    const { after = 0 } = options;
    this.#seq = typeof after === "number" ? after : after.seq;
    this.#place = typeof after === "number" ? Number.MAX_SAFE_INTEGER : after.part;
    this.#until = history === null ? null : run.seq;
    this.#onClose = onClose;
  }

  /** V2. False: there is no room; what is in no journal is gone then, and the reader must be told (by a `reset`, which has room). */
  push(event: StreamEvent): boolean {
    const isUnrecorded = isFleeting(event);
    const isReset = isUnrecorded && "reset" in event;
    const isFull = this.#lost !== null || this.#present.size >= this.#limit;
    if (isFull && !isUnrecorded) this.#lost ??= event.seq;
    if (isFull && !isReset) return false;
    this.#present.push(event);
    return true;
  }

  /** V3 */
  end(outcome: Outcome | Error): void {
    this.#outcome ??= outcome;
  }

  /** The journal that is read from goes on: what was added is read when everything before it was given. */
  readOn(): void {
    this.#until = this.#run.seq;
  }

  /** Of the last event that was given. */
  get place(): { readonly seq: number; readonly part: number } {
    return { seq: this.#seq, part: this.#place };
  }

  get ended(): boolean {
    return this.#outcome !== null;
  }

  close(left: boolean): void {
    this.#present.clear();
    this.#past.clear();
    this.#reading?.return(undefined).catch(() => undefined);
    this.#onClose(left);
  }

  poll(): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    const held = this.#held;
    if (held !== null) {
      this.#held = null;
      return { value: held };
    }
    const past = this.#past.take();
    if (past !== undefined) return this.#give(past);
    if (this.#until !== null) return this.#readPast(this.#until);
    return this.#pollPresent();
  }

  /** V1 */
  #pollPresent(): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    const event = this.#present.peek();
    if (event !== undefined && event.seq <= this.#durable) {
      this.#present.take();
      if (isHad(event)) return this.#pass(event);
      return this.#isNew(event) ? this.#give(event) : this.poll();
    }
    if (event !== undefined && !(this.#outcome instanceof Error)) return "wait";
    if (event === undefined && this.#lost !== null) return this.#fellBehind(this.#lost);
    return this.#ending();
  }

  #pass({ seq, had }: Had): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    if (seq !== this.#seq) this.#place = 0;
    this.#seq = seq;
    this.#place += had;
    this.#passed = this.#place;
    return this.poll();
  }

  get #durable(): number {
    return this.#outcome === null || this.#outcome instanceof Error ? this.#run.durable : Infinity;
  }

  #ending(): Polled<StreamEvent> {
    const outcome = this.#outcome;
    if (outcome === null) return "wait";
    if (outcome instanceof Error) throw outcome;
    if (this.#told || !this.#showsResult) return "done";
    this.#told = true;
    const { seq, tags } = this.#run;
    const result = resultOf(outcome, this.#run.cells(), tags);
    return { value: { seq, part: this.#place + 1, mode: "output", result } };
  }

  /** V2 */
  #fellBehind(lost: number): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    if (this.#history === null) throw errorOf("StreamOverflow", { runId: this.#run.runId, lost, limit: this.#limit });
    this.#lost = null;
    this.#until = this.#run.seq;
    return this.poll();
  }

  async #readPast(until: number): Promise<Polled<StreamEvent>> {
    if (this.#durable < until) {
      if (this.#outcome instanceof Error) throw this.#outcome;
      return "wait";
    }
    if (this.#reading === null) {
      this.#passed = 0;
      this.#reading = (this.#history as History)({
        from: Math.max(1, this.#place === Number.MAX_SAFE_INTEGER ? this.#seq + 1 : this.#seq),
        until,
      });
    }
    for (let batch = await this.#reading.next(); batch.done !== true; batch = await this.#reading.next()) {
      for (const event of batch.value) if (this.#isNew(event)) this.#past.push(event);
      if (this.#past.size > 0) return this.poll();
    }
    this.#reading = null;
    this.#until = null;
    return this.poll();
  }

  /** Not given before; and from now on it was. */
  #isNew(event: StreamEvent): boolean {
    if (isFleeting(event)) {
      (event as { part: number }).part = event.seq === this.#seq ? this.#place : 0;
      return true;
    }
    if (event.seq < this.#seq) return false;
    if (event.seq === this.#seq && this.#passed < this.#place) {
      this.#passed++;
      return false;
    }
    this.#count(event);
    this.#passed = this.#place;
    return true;
  }

  #count(event: Counting): void {
    const counts = event.mode !== "tasks" || event.task !== "started";
    if (event.seq !== this.#seq) this.#place = 0;
    this.#seq = event.seq;
    if (counts) this.#place++;
    event.part = this.#place;
  }

  #give(event: StreamEvent): Polled<StreamEvent> | Promise<Polled<StreamEvent>> {
    const before = this.#starts.before(event);
    if (before === null) return this.poll();
    if (before === undefined) return { value: event };
    this.#held = event;
    return { value: before };
  }
}
