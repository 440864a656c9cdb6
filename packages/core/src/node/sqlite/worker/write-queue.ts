import type { Database } from "./database.ts";
import { commitGroup, type Outcome } from "./group-commit.ts";
import type { Write } from "./write.ts";

/** One transaction holds no more, so that a burst does not keep its first writers waiting. */
const GROUP_BYTES = 8 << 20;
const GROUP_WRITES = 4_096;

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 25;

interface Queued {
  readonly write: Write;
  /** Monotonic milliseconds. */
  readonly since: number;
}

/** Writes in the order they came, committed in groups; while another process holds the write lock, they wait here. */
export class WriteQueue {
  readonly #database: Database;
  readonly #busyTimeout: number;
  readonly #settle: (outcomes: readonly Outcome[]) => void;
  #queue: Queued[] = [];
  #pause = 0;
  #retry: NodeJS.Timeout | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(database: Database, busyTimeout: number, settle: (outcomes: readonly Outcome[]) => void) {
    this.#database = database;
    this.#busyTimeout = busyTimeout;
    this.#settle = settle;
  }

  push(write: Write): void {
    this.#queue.push({ write, since: performance.now() });
  }

  /** Commits one group. True when there is more to commit at once. */
  commitSome(): boolean {
    if (this.#retry !== undefined || this.#queue.length === 0) return false;
    const group = this.#takeGroup();
    const { outcomes, busy, error } = commitGroup(
      this.#database,
      group.map((queued) => queued.write),
    );
    if (outcomes.length > 0) this.#settle(outcomes);
    if (busy.length === 0) {
      this.#pause = 0;
    } else {
      this.#wait(group.slice(group.length - busy.length), error);
    }
    if (this.#queue.length === 0) this.#whenIdle?.();
    return this.#retry === undefined && this.#queue.length > 0;
  }

  /** Resolves when everything pushed so far, and meanwhile, is settled. */
  async idle(): Promise<void> {
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  #takeGroup(): Queued[] {
    let byteLength = 0;
    let end = 0;
    while (end < this.#queue.length && end < GROUP_WRITES && byteLength < GROUP_BYTES) {
      byteLength += this.#queue[end]?.write.byteLength ?? 0;
      end += 1;
    }
    return this.#queue.splice(0, end);
  }

  /** Puts back what may wait longer, and fails what has waited for the whole busy timeout. */
  #wait(busy: readonly Queued[], error: unknown): void {
    const deadline = performance.now() - this.#busyTimeout;
    const expired = busy.filter((queued) => queued.since <= deadline);
    this.#queue.unshift(...busy.filter((queued) => queued.since > deadline));
    if (expired.length > 0) this.#settle(expired.map(({ write }) => ({ write, ok: false, error })));
    if (this.#queue.length === 0) return;
    this.#pause = Math.min(Math.max(FIRST_PAUSE_MS, this.#pause * 2), LONGEST_PAUSE_MS);
    // Jitter keeps two waiting processes from meeting again and again.
    const pause = Math.ceil(this.#pause * (0.5 + Math.random() / 2));
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      while (this.commitSome());
    }, pause);
  }
}
