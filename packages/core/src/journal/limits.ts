/**
 * How long the journal of one run may grow. A journal is replayed whole when its run goes on after a crash, an answer or a
 * drain, so one that grows without bounds is a run that one day cannot go on any more.
 *
 * L1  A run is warned of once per engine, and failed once, by a record that says so.
 * L2  What its finalizers do after that is recorded whatever there is already.
 */
import { explain } from "../base/error.ts";
import type { JournalRow } from "../ports/backend.ts";
import type { JournalSize } from "./size.ts";

/** Each a whole number from 1 on, or `Infinity`: no limit. */
export interface JournalLimits {
  /** Records at which the engine warns. Default 100,000. */
  readonly warnRecords: number;
  /** Bytes of records at which it warns. Default 100,000,000. */
  readonly warnBytes: number;
  /** Records at which the run fails as `JournalLimit`. Default 1,000,000. */
  readonly maxRecords: number;
  /** Bytes of records at which it does. Default 1,000,000,000. */
  readonly maxBytes: number;
}

export const defaultLimits: JournalLimits = {
  warnRecords: 100_000,
  warnBytes: 100_000_000,
  maxRecords: 1_000_000,
  maxBytes: 1_000_000_000,
};

/** What was reached, for people. */
type Reached = { readonly count: string; readonly option: keyof JournalLimits };

/** Counts what one writer adds to one journal. */
export class JournalGuard {
  readonly #size: JournalSize;
  readonly #limits: JournalLimits;
  readonly #warn: ((text: string) => void) | null;
  /** Of records that are in no row yet: places in the next row of those that do not count, and the rest, in characters. */
  #free: number[] | null = null;
  #waiting = 0;
  #chars = 0;
  #warned = false;

  /** `warn` null: the run was warned of before. */
  constructor(size: JournalSize, limits: JournalLimits, warn: ((text: string) => void) | null) {
    this.#size = size;
    this.#limits = limits;
    this.#warn = warn;
  }

  /** A record at the given place of the next row. */
  count(record: string, place: number, isFree: boolean): void {
    if (isFree) {
      (this.#free ??= []).push(place);
      return;
    }
    this.#waiting++;
    this.#chars += record.length;
    if (!this.#warned && this.#reached("warnRecords", "warnBytes") !== null) this.#warnOnce();
  }

  /** The first of them are a row now; most often all. */
  packed(row: JournalRow, records: readonly string[]): void {
    const free = this.#free ?? [];
    const { count } = row;
    if (count < this.#waiting + free.length) return this.#packedSome(row, records, free);
    this.#size.add(row, this.#free);
    this.#free = null;
    this.#waiting = 0;
    this.#chars = 0;
  }

  #packedSome(row: JournalRow, records: readonly string[], all: readonly number[]): void {
    const free = all.filter((place) => place < row.count);
    this.#size.add(row, free);
    this.#free = all.slice(free.length).map((place) => place - row.count);
    this.#waiting -= row.count - free.length;
    this.#chars -= records.reduce((sum, { length }) => sum + length, 0);
    for (const place of free) this.#chars += (records[place] as string).length;
  }

  /** Why the run must end; null: it may go on. */
  get full(): { readonly code: string; readonly message: string } | null {
    const reached = this.#reached("maxRecords", "maxBytes");
    return reached === null ? null : explain("JournalLimit", reached);
  }

  #reached(records: "warnRecords" | "maxRecords", bytes: "warnBytes" | "maxBytes"): Reached | null {
    const { [records]: most, [bytes]: largest } = this.#limits;
    const count = this.#size.records + this.#waiting;
    if (count >= most) return { count: `${count.toLocaleString("en-US")} records`, option: records };
    const size = this.#size.bytes + this.#chars;
    return size >= largest ? { count: `${size.toLocaleString("en-US")} bytes`, option: bytes } : null;
  }

  #warnOnce(): void {
    const reached = this.#reached("warnRecords", "warnBytes") as Reached;
    this.#warned = true;
    this.#warn?.(`has ${reached.count}, and ${this.#rest()} (journalLimits.${reached.option})`);
  }

  #rest(): string {
    const { maxRecords, maxBytes } = this.#limits;
    const ends = [
      ...(maxRecords === Infinity ? [] : [`${maxRecords.toLocaleString("en-US")} records`]),
      ...(maxBytes === Infinity ? [] : [`${maxBytes.toLocaleString("en-US")} bytes`]),
    ];
    return ends.length === 0 ? "is replayed whole when the run goes on" : `the run fails at ${ends.join(" or ")}`;
  }
}
