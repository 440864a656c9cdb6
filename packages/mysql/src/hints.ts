import type { HintSource } from "@millrace/core/adapter";

import type { Database } from "./database.ts";

/** Numbers that are looked at again: those of transactions that were slower than later ones are among them. */
const window = 1_000;
/** What stays for those who look seldom. */
const kept = 10_000;
const cleanEveryMs = 60_000;

export interface HintOptions {
  readonly database: Database;
  /** Hints for other owners are none for us. */
  readonly ownerN: number;
  readonly everyMs: number;
}

interface Seen {
  readonly last: number;
  readonly ours: number;
  readonly seen: number;
}

/** MySQL tells nobody anything, so this asks: one read of an index, of the last rows that were written for hints. */
export class Hints implements HintSource {
  readonly pauseMs: number;
  readonly #database: Database;
  readonly #ownerN: number;
  #from: number | undefined;
  #ours = 0;
  #cleanAt: number = performance.now() + cleanEveryMs * Math.random();

  constructor({ database, ownerN, everyMs }: HintOptions) {
    this.pauseMs = everyMs;
    this.#database = database;
    this.#ownerN = ownerN;
  }

  async round(tell: () => void): Promise<void> {
    const now = await this.#look(this.#from ?? 0);
    // The first look, one after many hints, or after others took the oldest away: whatever came, came.
    if (this.#from === undefined || now.last - this.#from > 2 * window || now.ours < this.#ours) {
      const from = Math.max(0, now.last - window);
      this.#ours = (await this.#look(from)).ours;
      this.#from = from;
      tell();
    } else if (now.ours > this.#ours) {
      this.#ours = now.ours;
      tell();
    }
    if (performance.now() <= this.#cleanAt) return;
    this.#cleanAt = performance.now() + cleanEveryMs;
    await this.#clean(now.last);
  }

  async #look(from: number): Promise<Seen> {
    const { rows } = await this.#database.once<Seen>(this.#database.statements.selectHints, [this.#ownerN, from]);
    return rows[0]!;
  }

  async #clean(last: number): Promise<void> {
    if (last > kept) await this.#database.once(this.#database.statements.deleteHints, [last - kept, kept]);
  }
}
