/** Threads as this engine found them last, so that a turn reads what was said since and not all of it. */
import { folded, readThread, type CarriedSource } from "../journal/carry/carry.ts";
import type { RunThread } from "../model/thread.ts";
import type { CarriedRow } from "../ports/thread.ts";

interface Known {
  readonly thread: RunThread;
  /** Its last row: if that still stands there, so does all before it, whose checksum is in it. */
  readonly row: CarriedRow;
}

/** Of all that is kept, in bytes as they are stored. */
const most = 16 * 1024 * 1024;

export class KnownThreads {
  /** The one that was asked for longest ago is the first. */
  readonly #threads: Map<string, Known> = new Map();
  #bytes = 0;

  async read(backend: CarriedSource, name: string): Promise<RunThread> {
    const known = this.#take(name);
    const rows = await backend.carried(name, undefined, known?.row.n);
    const thread =
      known !== undefined && isSameRow(rows[0], known.row)
        ? folded(name, rows.slice(1), known.thread)
        : await this.#anew(backend, name, rows);
    const row = rows.at(-1);
    if (row !== undefined && row.n === thread.last) this.#keep({ thread, row });
    return thread;
  }

  async #anew(backend: CarriedSource, name: string, rows: readonly CarriedRow[]): Promise<RunThread> {
    const isComplete = rows[0]?.whole === true;
    return isComplete ? folded(name, rows, null) : readThread(backend, name);
  }

  #take(name: string): Known | undefined {
    const known = this.#threads.get(name);
    if (known === undefined) return undefined;
    this.#threads.delete(name);
    this.#bytes -= known.thread.stored.bytes;
    return known;
  }

  #keep(known: Known): void {
    const { name, stored } = known.thread;
    if (stored.bytes > most) return;
    // Somebody else may have read it meanwhile.
    this.#take(name);
    this.#threads.set(name, known);
    this.#bytes += stored.bytes;
    for (const [oldest] of this.#threads) {
      if (this.#bytes <= most) return;
      this.#take(oldest);
    }
  }
}

export function isSameRow(row: CarriedRow | undefined, known: CarriedRow): boolean {
  if (row?.n !== known.n || row.runId !== known.runId || row.whole !== known.whole) return false;
  return row.bytes.byteLength === known.bytes.byteLength && row.bytes.every((byte, at) => byte === known.bytes[at]);
}
