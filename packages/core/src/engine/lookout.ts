/**
 * Looks at the rows of runs that others drive, for all of this engine who follow them: each run is asked for once, and only
 * while somebody waits for more of it. Where the backend tells that a run goes on, that is waited for.
 */
import { parseDuration } from "../base/duration.ts";
import type { Backend, RunRow } from "../ports/backend.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineOptions } from "./api.ts";
import { wrong } from "./option-checks.ts";

/** Between the first two looks, milliseconds; each pause is twice the last one while nothing comes. */
const leastMs = 10;
/** The same where the backend tells: what it told may be lost. */
const leastToldMs = 100;

/** Milliseconds. @throws MillraceError `InvalidOption` */
export function pollOf({ poll = "1s" }: Pick<EngineOptions, "poll">): number {
  const everyMs = parseDuration(poll, "poll of the engine");
  if (everyMs < 1) throw wrong("poll of the engine must be at least a millisecond", 'for example poll: "1s"');
  return everyMs;
}

/** Null: there is no backend that runs of others could be in. */
export function lookoutOf(options: Pick<EngineOptions, "backend" | "poll">, clock: Clock): Lookout | null {
  const { backend } = options;
  return backend === undefined ? null : new Lookout(backend, clock, pollOf(options));
}

/** One who follows a run. */
export interface Sight {
  /** The row as it stands now. Undefined: there is no such run. */
  look(): Promise<RunRow | undefined>;
  /** Calls back once, when the row may be another one than was last seen, or the lookout was closed. */
  wait(changed: () => void): void;
  close(): void;
}

export class Lookout {
  readonly backend: Backend;
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #runs: Map<string, Watched> = new Map();
  #closed = false;

  /** `mostMs`: longest pause between two looks at a run. */
  constructor(backend: Backend, clock: Clock, mostMs: number) {
    this.backend = backend;
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  sight(runId: string): Sight {
    const run = this.#runs.get(runId) ?? new Watched(this.backend, this.#clock, this.#mostMs, runId);
    this.#runs.set(runId, run);
    run.followers++;
    let waiting: (() => void) | null = null;
    let version = -1;
    let over = false;
    return {
      look: () => {
        ({ version } = run);
        return run.look();
      },
      wait: (changed) => {
        if (over) return;
        if (this.#closed || version !== run.version) return changed();
        waiting = changed;
        run.wait(changed);
      },
      close: () => {
        if (over) return;
        over = true;
        if (waiting !== null) run.leave(waiting);
        if (--run.followers > 0) return;
        run.close();
        this.#runs.delete(runId);
      },
    };
  }

  /** Who waits is told, and finds the engine closed. */
  close(): void {
    this.#closed = true;
    for (const run of this.#runs.values()) {
      run.close();
      run.tell();
    }
  }
}

class Watched {
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #mostMs: number;
  readonly #runId: string;
  readonly #unwatch: (() => void) | undefined;
  followers = 0;
  /** Counts what was hinted at: who waits after that has to look again. */
  version = 0;
  #waiting: Set<() => void> = new Set();
  #looking: Promise<RunRow | undefined> | null = null;
  #seen = "";
  #pauseMs: number = leastMs;
  #disarm: (() => void) | null = null;

  constructor(backend: Backend, clock: Clock, mostMs: number, runId: string) {
    this.#backend = backend;
    this.#clock = clock;
    this.#mostMs = mostMs;
    this.#runId = runId;
    this.#unwatch = backend.watchRun?.(runId, () => {
      this.version++;
      this.#looking = null;
      this.tell();
    });
  }

  /** One question for all who ask at once. */
  look(): Promise<RunRow | undefined> {
    if (this.#looking !== null) return this.#looking;
    const looking = this.#backend.get(this.#runId).then((row) => {
      const { lastSeq, status, owner, epoch } = row ?? {};
      const seen = `${lastSeq} ${status} ${owner} ${epoch}`;
      if (seen !== this.#seen) this.#pauseMs = leastMs;
      this.#seen = seen;
      return row;
    });
    this.#looking = looking;
    const over = (): void => {
      if (this.#looking === looking) this.#looking = null;
    };
    looking.then(over, over);
    return looking;
  }

  wait(changed: () => void): void {
    this.#waiting.add(changed);
    if (this.#disarm !== null) return;
    const pauseMs = Math.min(
      Math.max(this.#pauseMs, this.#unwatch === undefined ? leastMs : leastToldMs),
      this.#mostMs,
    );
    this.#pauseMs = Math.min(pauseMs * 2, this.#mostMs);
    this.#disarm = this.#clock.timer(pauseMs, () => this.tell());
  }

  leave(changed: () => void): void {
    this.#waiting.delete(changed);
    if (this.#waiting.size === 0) this.#rest();
  }

  tell(): void {
    this.#rest();
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const changed of waiting) changed();
  }

  #rest(): void {
    this.#disarm?.();
    this.#disarm = null;
  }

  close(): void {
    this.#rest();
    this.#unwatch?.();
  }
}
