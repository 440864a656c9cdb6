import { setTimeout as sleep } from "node:timers/promises";

import { Client, type ClientConfig } from "pg";

import { destroy } from "./database.ts";
import { clientDefaults, keepAlive, setUp, type SessionOptions } from "./session.ts";

const heartbeatMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 2_000;

export interface ListenerOptions {
  readonly config: ClientConfig;
  readonly session: SessionOptions;
  /** Also the name of the channel. */
  readonly schema: string;
  /** Hints for other owners are none for us. */
  readonly ownerN: number;
}

/**
 * H77: a connection that only listens. What it tells is a hint; after every connect the listeners are told too, for what was
 * notified while there was none is gone. A heartbeat finds a connection that is dead and does not know it.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #tell: () => void;
  readonly #closing = new AbortController();
  #client: Client | undefined;
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
    if (this.#client !== undefined) destroy(this.#client);
  }

  async #run(): Promise<void> {
    let pause = firstPauseMs;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#listen(() => (pause = firstPauseMs));
      } catch {
        pause = Math.min(pause * 2, longestPauseMs);
      }
      await this.#sleep(pause * (0.5 + Math.random() / 2), this.#closing.signal);
    }
  }

  /** Until the connection is lost. */
  async #listen(connected: () => void): Promise<void> {
    const { config, session, schema } = this.#options;
    const client = new Client({ ...clientDefaults, ...config, query_timeout: heartbeatMs });
    this.#client = client;
    const lost = new AbortController();
    client.on("error", () => lost.abort());
    client.on("end", () => lost.abort());
    const over = AbortSignal.any([lost.signal, this.#closing.signal]);
    client.on("notification", ({ payload }) => this.#heard(payload));
    try {
      await client.connect();
      keepAlive(client, false);
      await setUp(client, session);
      await client.query(`LISTEN "${schema}"`);
      connected();
      this.#tell();
      while (!over.aborted) {
        await this.#sleep(heartbeatMs, over);
        if (!over.aborted) await client.query("SELECT 1");
      }
    } finally {
      this.#client = undefined;
      destroy(client);
    }
  }

  #heard(payload: string | undefined): void {
    if (payload === undefined || payload === "" || payload === String(this.#options.ownerN)) this.#tell();
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
  }
}
