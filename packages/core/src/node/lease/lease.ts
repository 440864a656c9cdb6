import { Worker } from "node:worker_threads";

import { errorOf } from "../../base/error.ts";
import { loadStripped, stripFor } from "../worker-pool/type-stripping.ts";
import { Beat, monotonicMs } from "./beat.ts";
import type { LeaseMessage, LeaseSetup } from "./protocol.ts";

export type { LeaseConnect, LeaseConnection } from "./protocol.ts";

export interface LeaseOptions {
  /** URL of the module that exports `connect`; see `LeaseConnect`. */
  readonly module: string | URL;
  /** What `connect` is given, in the thread: data that can be cloned. */
  readonly options: unknown;
  /** As `connect`'s `renew` takes it. */
  readonly owner: string;
  /** How long a renewal lasts, milliseconds. The thread renews three times as often. */
  readonly ttlMs: number;
  /**
   * When the main loop has not come round for so long, milliseconds, its lease is not renewed any more: an engine that hangs
   * must not keep its runs.
   */
  readonly stuckAfterMs: number;
}

/** A lease may have ended this part of its time before the owner's own clock says so: clocks run at different speeds. */
const margin = 1 / 4;
const longestGoodbyeMs = 2_000;
/** The main loop is asked at least so often whether it comes round. */
const longestTurnMs = 1_000;

/**
 * The lease of one owner in a store that several machines share, renewed by a thread of its own: a main loop that is busy
 * does not lose it (H10). Not specific to any store: a module of the adapter speaks to it.
 *
 * @example
 * const sentAt = monotonicMs();
 * await insertOwner("engine-1", 10_000);
 * const lease = new Lease({ module: new URL("./lease-module.ts", import.meta.url), options, owner: "engine-1", ttlMs, stuckAfterMs });
 * await lease.start(sentAt);
 */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #beat = new Beat();
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #turning: NodeJS.Timeout | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /**
   * Starts the thread. The lease was given before: `sentAt` is the monotonic time (`monotonicMs()`) from before it was asked
   * for.
   *
   * @throws MillraceError `WorkerModuleFailed`: the adapter's module cannot be loaded.
   */
  async start(sentAt: number): Promise<void> {
    this.#beat.renewedAt = sentAt;
    const { module, ...rest } = this.#options;
    const stripping = stripFor();
    const setup: LeaseSetup = { ...rest, module: String(module), shared: this.#beat.shared, stripping };
    const worker = new Worker(workerUrl(), {
      workerData: setup,
      transferList: [stripping.port],
      name: "millrace-lease",
      execArgv: ["--disable-warning=ExperimentalWarning", ...loadStripped],
    });
    this.#worker = worker;
    this.#ended = new Promise((resolve) => worker.once("exit", () => resolve()));
    await this.#ready(worker);
    worker.unref();
    this.#turn();
  }

  /**
   * By the host's own timer: the engine's clock may be one that stands still, or its watch may look around once an hour. It
   * holds no process.
   */
  #turn(): void {
    const { stuckAfterMs } = this.#options;
    this.#beat.turn();
    this.#turning = setInterval(() => this.#beat.turn(), Math.min(longestTurnMs, stuckAfterMs / 4)).unref();
  }

  /** Judged by this process alone: false from a quarter of the lease before the store would let others have its runs (H4). */
  alive(): boolean {
    const { renewedAt } = this.#beat;
    return renewedAt > 0 && monotonicMs() - renewedAt < this.#options.ttlMs * (1 - margin);
  }

  /** Ends the thread. The lease itself stays in the store until it is taken away or lapses. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#beat.renewedAt = 0;
    clearInterval(this.#turning);
    if (worker === undefined) return this.#ended;
    worker.ref();
    worker.postMessage("stop", []);
    const late = setTimeout(() => void worker.terminate(), longestGoodbyeMs);
    await this.#ended;
    clearTimeout(late);
  }

  /** Ends the thread as a crash would, with nothing said to the store. */
  async abandon(): Promise<void> {
    this.#beat.renewedAt = 0;
    clearInterval(this.#turning);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ready(worker: Worker): Promise<void> {
    return new Promise((resolve, reject) => {
      const failed = (reason: string, cause?: unknown): void => {
        this.#beat.renewedAt = 0;
        reject(errorOf("WorkerModuleFailed", { modules: String(this.#options.module), reason }, cause));
      };
      worker.on("message", (message: LeaseMessage) => {
        if (message.type === "ready") resolve();
        else if (message.type === "unusable") failed(message.detail);
      });
      // A thread that dies later lets the lease lapse, which `alive` tells.
      worker.on("error", (error) => failed(error instanceof Error ? error.message : String(error), error));
      worker.once("exit", (code) => failed(`the thread ended with exit code ${code}`));
    });
  }
}

/** The source when this file is source, the compiled file beside it when it is compiled. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./worker/main.ts" : "./worker/main.js", import.meta.url);
}
