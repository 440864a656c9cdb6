/** What threads carried at earlier times, as it was found last: who walks back through the runs of a thread folds its rows once for many of them. */
import { folded, readThread, type CarriedSource } from "../journal/carry/carry.ts";
import type { RunThread } from "../model/thread.ts";
import type { CarriedRow } from "../ports/thread.ts";
import { isSameRow } from "./known-threads.ts";
import type { Cells } from "./api.ts";

interface Known {
  readonly cells: RunThread;
  /** Its last row: if that still stands there, so does all before it. */
  readonly row: CarriedRow;
}

/** Of one thread, however short; of a long one fewer. */
const mostTimes = 64;
/** Of one thread, in bytes as its rows are stored. */
const mostBytes = 4 * 1024 * 1024;
const mostThreads = 4;

export class PastThreads {
  /** The one that was asked for longest ago is the first. */
  readonly #threads: Map<string, readonly Known[]> = new Map();

  /** `upTo`: as it stood when that was its last row. */
  async read(source: CarriedSource, name: string, upTo: number | undefined): Promise<Cells> {
    const known = this.#threads.get(name)?.findLast(({ row }) => upTo === undefined || row.n <= upTo);
    const rows = known === undefined ? [] : await source.carried(name, upTo, known.row.n);
    if (known !== undefined && isSameRow(rows[0], known.row)) return this.#on(name, known, rows.slice(1));
    const all = await source.carried(name, upTo);
    // What is missing is told by whoever reads it all.
    const isWhole = all[0]?.whole === true && all.at(-1)?.n === (upTo ?? all.at(-1)?.n);
    return isWhole ? this.#on(name, null, all) : (await readThread(source, name, upTo)).carried;
  }

  #on(name: string, known: Known | null, rows: readonly CarriedRow[]): Cells {
    const bytes = rows.reduce((sum, row) => sum + row.bytes.byteLength, known?.cells.stored.bytes ?? 0);
    const times = Math.max(1, Math.min(mostTimes, Math.floor(mostBytes / Math.max(bytes, 1))));
    const first = Math.max(0, rows.length - times);
    let cells: RunThread | null = known?.cells ?? null;
    if (first > 0) cells = folded(name, rows.slice(0, first), cells);
    const made = rows.slice(first).map((row): Known => {
      const now = folded(name, [row], cells);
      cells = now;
      return { cells: now, row };
    });
    const others = known === null ? [] : (this.#threads.get(name) ?? []);
    this.#keep(name, [...others, ...made].toSorted((one, other) => one.row.n - other.row.n).slice(-times));
    return cells?.carried ?? {};
  }

  #keep(name: string, list: readonly Known[]): void {
    this.#threads.delete(name);
    this.#threads.set(name, list);
    for (const [oldest] of this.#threads) {
      if (this.#threads.size <= mostThreads) return;
      this.#threads.delete(oldest);
    }
  }
}
