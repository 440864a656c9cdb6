import type { Context } from "./context.ts";
import type { Failure } from "./failure.ts";
import { Fifo } from "./fifo.ts";
import { Gaps, type GapRange } from "./gaps.ts";

/** An item on its way from one stream to another: what it is, and the items it comes from, which stay open meanwhile. */
export interface Parcel {
  readonly state: number;
  readonly value: unknown;
  readonly items: readonly Context[];
  /** Of an item that is a stream itself, on its way out of a block: what goes out of that. */
  readonly inner: Relay | null;
}

/** The parts of a zip are not of one length. */
export class Uneven {
  /** A part that ended first. */
  readonly shorter: number;
  /** By part; null where it is not known, because the part went on or broke off. */
  readonly lengths: readonly (number | null)[];

  constructor(shorter: number, lengths: readonly (number | null)[]) {
    this.shorter = shorter;
    this.lengths = lengths;
  }
}

/** How the end of a forwarded stream came about: its parts are used up, or do not match, or one failed. */
export type ForwardEnd = "even" | Uneven | Failure;

/** Not of an item that was swept or dropped on its way. */
function isThere({ items }: Parcel): boolean {
  return items.every((item) => !item.closed && !item.abandoned);
}

/** The first that is still there comes first; false when there is none. */
function hasFirst(queue: Fifo<Parcel>): boolean {
  for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
    if (isThere(first)) return true;
    queue.take();
  }
  return false;
}

/** Where the items of a stream come from that has no list and no generator. */
export interface Forward {
  /** Whether one can go out now. Those whose items are gone are forgotten. */
  hasNext(): boolean;
  /** The next one to go out. */
  take(): Parcel;
  /** How it is over, as far as that is known; null while it may go on. `early`: it is, as soon as one part has no more. */
  over(early: boolean): ForwardEnd | null;
  /** Everything that waits: it will not go out any more. */
  clear(): readonly Parcel[];
}

/** Items of one stream after the other, in the order they arrive: a stream that leaves a block. */
export class Relay implements Forward {
  readonly #waiting: Fifo<Parcel> = new Fifo();
  /** Of a stream in an item of such a stream: the item inside, and the slot outside that it goes to. */
  readonly from: Context | null;
  readonly slot: number;
  /** And the item outside, once that is there. */
  at: Context | null = null;
  /** It failed before. */
  failure: Failure | null = null;
  /** The item will not be there: nothing goes out of it. */
  gone = false;
  ended = false;

  constructor(slot: number, from: Context | null) {
    this.slot = slot;
    this.from = from;
  }

  offer(parcel: Parcel): void {
    this.#waiting.push(parcel);
  }

  get waiting(): Parcel[] {
    return this.#waiting.list();
  }

  hasNext(): boolean {
    return hasFirst(this.#waiting);
  }

  take(): Parcel {
    return this.#waiting.take() as Parcel;
  }

  over(): ForwardEnd | null {
    return this.ended && this.#waiting.size === 0 ? "even" : null;
  }

  clear(): readonly Parcel[] {
    return drain(this.#waiting);
  }
}

/** One part of a zip as plain data. */
export interface PartState {
  readonly waiting: readonly Parcel[];
  readonly early: readonly (readonly [index: number, parcel: Parcel])[];
  readonly gaps: readonly GapRange[];
  readonly next: number;
  readonly ended: boolean;
  readonly failure: Failure | null;
}

/** One part of a zip: its items in yield order. */
class Part {
  readonly waiting: Fifo<Parcel> = new Fifo();
  readonly #early: Map<number, Parcel> = new Map();
  /** Of items that left nothing. */
  #gaps = new Gaps();
  #next = 0;
  ended = false;
  /** Its stream failed. */
  failure: Failure | null = null;

  get state(): PartState {
    const { ended, failure } = this;
    const early = [...this.#early];
    return { waiting: this.waiting.list(), early, gaps: this.#gaps.list(), next: this.#next, ended, failure };
  }

  restore({ waiting, early, gaps, next, ended, failure }: PartState): void {
    for (const parcel of waiting) this.waiting.push(parcel);
    for (const [index, parcel] of early) this.#early.set(index, parcel);
    this.#gaps = Gaps.of(gaps);
    this.#next = next;
    this.ended = ended;
    this.failure = failure;
  }

  /** Null: the item at that index left nothing. */
  offer(index: number, parcel: Parcel | null): void {
    if (parcel === null) this.#gaps.add(index);
    else this.#early.set(index, parcel);
    for (;;) {
      this.#next = this.#gaps.pass(this.#next);
      const early = this.#early.get(this.#next);
      if (early === undefined) return;
      this.#early.delete(this.#next++);
      this.waiting.push(early);
    }
  }

  /** How many are on their way, behind what may still come before some of them. Those whose items are gone are forgotten. */
  count(): number {
    this.waiting.prune(isThere);
    return this.waiting.size + [...this.#early.values()].filter(isThere).length;
  }

  clear(): readonly Parcel[] {
    const early = [...this.#early.values()];
    this.#early.clear();
    return [...drain(this.waiting), ...early];
  }
}

/** A zip as plain data. */
export interface ZipState {
  readonly count: number;
  readonly parts: readonly PartState[];
}

/** One item of each part at a time, by what they left, in yield order. */
export class Zip implements Forward {
  readonly keys: readonly string[];
  readonly #parts: readonly Part[];
  /** Pairs that went out. */
  #count = 0;
  readonly #join: (parcels: readonly Parcel[], keys: readonly string[]) => Parcel;

  constructor(keys: readonly string[], join: (parcels: readonly Parcel[], keys: readonly string[]) => Parcel) {
    this.keys = keys;
    this.#parts = keys.map(() => new Part());
    this.#join = join;
  }

  get state(): ZipState {
    return { count: this.#count, parts: this.#parts.map((part) => part.state) };
  }

  restore({ count, parts }: ZipState): void {
    this.#count = count;
    parts.forEach((part, i) => this.#parts[i]?.restore(part));
  }

  offer(part: number, index: number, parcel: Parcel | null): void {
    this.#parts[part]?.offer(index, parcel);
  }

  end(part: number, failure: Failure | null): void {
    const ended = this.#parts[part];
    if (ended === undefined) return;
    ended.ended = true;
    ended.failure = failure;
  }

  hasNext(): boolean {
    let all = true;
    for (const { waiting } of this.#parts) if (!hasFirst(waiting)) all = false;
    return all;
  }

  take(): Parcel {
    this.#count++;
    return this.#join(
      this.#parts.map(({ waiting }) => waiting.take() as Parcel),
      this.keys,
    );
  }

  over(early: boolean): ForwardEnd | null {
    const usedUp = this.#parts.filter(({ ended, waiting }) => ended && waiting.size === 0);
    const [shorter] = usedUp;
    if (shorter === undefined) return null;
    const failed = usedUp.find(({ failure }) => failure !== null);
    if (failed !== undefined) return failed.failure;
    if (early || usedUp.length === this.#parts.length) return "even";
    // Also by an item that waits for its turn: there is one more of it, whatever those before it come to.
    if (this.#parts.every((part) => part.count() === 0)) return null;
    return new Uneven(
      this.#parts.indexOf(shorter),
      this.#parts.map((part) => (part.ended && part.failure === null ? this.#count + part.count() : null)),
    );
  }

  clear(): readonly Parcel[] {
    return this.#parts.flatMap((part) => part.clear());
  }
}

function drain(queue: Fifo<Parcel>): Parcel[] {
  const all: Parcel[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) all.push(next);
  return all;
}
