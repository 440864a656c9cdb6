/**
 * Runs that this engine tried to go on with in vain, and when it tries again by itself: what can be another time after a
 * while, longer each time; what cannot change (a damaged journal), never. Whoever names a run is not held up by this.
 */
const firstMs = 1_000;
const longestMs = 60_000;
/** Beyond it nothing is taken over until something of it is due. */
const most = 1_000;

interface Entry {
  readonly until: number;
  readonly tries: number;
}

export class PutOff {
  readonly #entries: Map<string, Entry> = new Map();

  for(runId: string, now: number, isFinal: boolean): void {
    const tries = (this.#entries.get(runId)?.tries ?? 0) + 1;
    const ms = Math.min(firstMs * 2 ** (tries - 1), longestMs);
    this.#entries.set(runId, { until: isFinal ? Infinity : now + ms, tries });
  }

  /** It came to something: the next failure counts as the first. */
  forget(runId: string): void {
    this.#entries.delete(runId);
  }

  isFull(now: number): boolean {
    return this.#entries.size >= most && this.except(now).length >= most;
  }

  /** Those that are not to be tried now. */
  except(now: number): string[] {
    return [...this.#entries].filter(([, { until }]) => until > now).map(([runId]) => runId);
  }
}
