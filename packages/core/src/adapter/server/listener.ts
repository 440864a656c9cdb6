import { setTimeout as sleep } from "node:timers/promises";

const longestPauseMs = 2_000;

/** How one learns that something came, if the server tells; see `Backend.onHint`. */
export interface HintSource {
  /** Between two rounds, milliseconds, at most. While the server is away the pauses become longer, up to some seconds. */
  readonly pauseMs: number;
  /**
   * One round: listening until the connection is lost, or a look. `tell`: something may have come, also what came while nobody
   * could listen, or a text was said (`RegisteredOwner.say`); `reached`: the server is there, however the round will end.
   */
  round(tell: (said?: string) => void, reached: () => void, signal: AbortSignal): Promise<void>;
}

/** H77: round after round until it is closed. What it tells is a hint: nobody relies on it. It holds no process. */
export class Listener {
  readonly #source: HintSource;
  readonly #tell: (said?: string) => void;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  constructor(source: HintSource, tell: (said?: string) => void) {
    this.#source = source;
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
    const { signal } = this.#closing;
    const { pauseMs } = this.#source;
    let pause = pauseMs;
    const reached = (): void => {
      pause = pauseMs;
    };
    while (!signal.aborted) {
      try {
        await this.#source.round(this.#tell, reached, signal);
        reached();
      } catch {
        pause = Math.max(pauseMs, Math.min(pause * 2, longestPauseMs));
      }
      // Jitter keeps many processes that lost one server from coming back all at once.
      await sleep(pause * (0.6 + 0.4 * Math.random()), undefined, { ref: false, signal }).catch(() => undefined);
    }
  }
}
