import { RunWatchers } from "../../ports/run-watchers.ts";

const askEveryMs = 5_000;
const askedForMs = 3 * askEveryMs;
/** Runs that are remembered as followed; of others, who follows asks from time to time. */
const most = 10_000;
/** Longer ids are not told. */
const longestId = 1_000;

/**
 * Runs that somebody follows, told between the engines on a server that passes texts on: who follows one says so again and again,
 * and until nobody has said so for a while whoever appends to it tells. A run that nobody follows costs nothing, and what is told
 * is a hint: any of it may be lost.
 */
export class FollowedRuns {
  readonly watchers: RunWatchers = new RunWatchers();
  readonly #say: (text: string) => Promise<void>;
  /** Followed by others, until when by the monotonic clock. */
  readonly #wanted: Map<string, number> = new Map();
  /** Runs of which is being told; true: they have gone on since. */
  readonly #telling: Map<string, boolean> = new Map();
  #asking: NodeJS.Timeout | undefined;

  constructor(say: (text: string) => Promise<void>) {
    this.#say = say;
  }

  watch(runId: string, listener: () => void): () => void {
    const unwatch = this.watchers.add(runId, listener);
    this.#ask(runId);
    this.#asking ??= setInterval(() => this.#askAll(), askEveryMs).unref();
    return unwatch;
  }

  #askAll(): void {
    let none = true;
    for (const runId of this.watchers.runs) {
      none = false;
      this.#ask(runId);
    }
    if (none) this.close();
  }

  #ask(runId: string): void {
    if (runId.length <= longestId) this.#say(`?${runId}`).catch(() => undefined);
  }

  /** What another engine, or this one, said. */
  heard(text: string): void {
    const runId = text.slice(1);
    if (text.startsWith("!")) this.watchers.tell(runId);
    else if (this.#wanted.size < most || this.#wanted.has(runId))
      this.#wanted.set(runId, performance.now() + askedForMs);
    else this.#forgetLate();
  }

  #forgetLate(): void {
    const now = performance.now();
    for (const [runId, until] of this.#wanted) if (until < now) this.#wanted.delete(runId);
  }

  appended(runId: string): void {
    if (this.#wanted.size === 0) return;
    const until = this.#wanted.get(runId);
    if (until === undefined) return;
    if (until < performance.now()) this.#wanted.delete(runId);
    else if (this.#telling.has(runId)) this.#telling.set(runId, true);
    else void this.#tell(runId);
  }

  /** One at a time: what comes meanwhile is told together. */
  async #tell(runId: string): Promise<void> {
    do {
      this.#telling.set(runId, false);
      await this.#say(`!${runId}`).catch(() => undefined);
    } while (this.#telling.get(runId) === true);
    this.#telling.delete(runId);
  }

  close(): void {
    clearInterval(this.#asking);
    this.#asking = undefined;
  }
}
