import { setTimeout as sleep } from "node:timers/promises";

import type { Database } from "./database.ts";

/** Numbers that are looked at again: those of transactions that were slower than later ones are among them. */
const window = 1_000;
/** What stays for those who look seldom. */
const kept = 10_000;
const cleanEveryMs = 60_000;
const longestPauseMs = 2_000;

export interface ListenerOptions {
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

/**
 * H77: MySQL tells nobody anything, so this asks: one read of an index, of the last rows that were written for hints. While the
 * server is away it asks less often.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #tell: () => void;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: ListenerOptions, tell: () => void) {
    this.#options = options;
    this.#tell = tell;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.abandon();
    await this.#running;
  }

  abandon(): void {
    this.#closing.abort();
  }

  async #run(): Promise<void> {
    const { everyMs } = this.#options;
    let from: number | undefined;
    let ours = 0;
    let pause = everyMs;
    let cleanAt = performance.now() + cleanEveryMs * Math.random();
    while (!this.#closing.signal.aborted) {
      try {
        const now = await this.#look(from ?? 0);
        // The first look, one after many hints, or after others took the oldest away: whatever came, came.
        if (from === undefined || now.last - from > 2 * window || now.ours < ours) {
          from = Math.max(0, now.last - window);
          ours = (await this.#look(from)).ours;
          this.#tell();
        } else if (now.ours > ours) {
          ours = now.ours;
          this.#tell();
        }
        pause = everyMs;
        if (performance.now() > cleanAt) {
          cleanAt = performance.now() + cleanEveryMs;
          await this.#clean(now.last);
        }
      } catch {
        pause = Math.min(pause * 2, longestPauseMs);
      }
      await this.#sleep(pause * (0.8 + 0.4 * Math.random()));
    }
  }

  async #look(from: number): Promise<Seen> {
    const { database, ownerN } = this.#options;
    const { rows } = await database.once<Seen>(database.statements.selectHints, [ownerN, from]);
    return rows[0]!;
  }

  async #clean(last: number): Promise<void> {
    const { database } = this.#options;
    if (last > kept) await database.once(database.statements.deleteHints, [last - kept, kept]);
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => undefined);
  }
}
