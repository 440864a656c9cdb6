import { Worker } from "node:worker_threads";

import { WorkerCrashed } from "./crashed.ts";
import type { Job } from "./job.ts";
import type { TaskMessage, WorkerMessage, WorkerSetup } from "./protocol.ts";
import { toThrown } from "./receive-error.ts";
import { loadStripped, stripFor } from "./type-stripping.ts";

export interface LoadedOps {
  readonly ops: ReadonlySet<string>;
  readonly twice: ReadonlySet<string>;
}

export interface ThreadOptions {
  readonly modules: readonly string[];
  readonly heapMb: number | undefined;
}

/** What a thread tells its pool. */
export interface ThreadOwner {
  /** It has nothing to do any more. */
  free(): void;
  /** It runs nothing any more, and never will. */
  gone(thread: Thread): void;
}

/** One worker thread. It keeps the process alive exactly while it starts or runs something. */
export class Thread {
  /** Rejects when the modules do not load. */
  readonly ready: Promise<LoadedOps>;
  readonly #worker: Worker;
  readonly #owner: ThreadOwner;
  readonly #exited: Promise<void>;
  #job: Job | null = null;
  #usable = false;
  #cause: unknown;
  #loaded!: (ops: LoadedOps) => void;
  #failed!: (error: unknown) => void;

  constructor({ modules, heapMb }: ThreadOptions, owner: ThreadOwner) {
    this.#owner = owner;
    this.ready = new Promise((resolve, reject) => {
      this.#loaded = resolve;
      this.#failed = reject;
    });
    this.ready.catch(() => undefined);
    const stripping = stripFor();
    const setup: WorkerSetup = { modules };
    this.#worker = new Worker(workerUrl(), {
      workerData: { ...setup, stripping },
      transferList: [stripping.port],
      name: "millrace-cpu",
      execArgv: ["--disable-warning=ExperimentalWarning", ...loadStripped],
      ...(heapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMb } }),
    });
    this.#worker.on("message", (message: WorkerMessage) => this.#heard(message));
    this.#worker.on("error", (error) => (this.#cause = error));
    this.#exited = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        this.#ended(code);
        resolve();
      });
    });
  }

  get idle(): boolean {
    return this.#job === null;
  }

  runs(job: Job): boolean {
    return this.#job === job;
  }

  /** Starts now, or as soon as the modules are loaded. */
  take(job: Job): void {
    this.#job = job;
    this.#worker.ref();
    if (this.#usable) this.#send(job);
  }

  /** Whatever it does, it stops; resolves when the thread is gone. */
  async end(): Promise<void> {
    const job = this.#job;
    this.#job = null;
    job?.abandon();
    this.#owner.gone(this);
    await this.#worker.terminate();
    await this.#exited;
  }

  /** X5: it is its turn; while it may not begin, nothing else of that engine may. */
  #send(job: Job): void {
    const admitted = job.task.admitted();
    if (admitted === null) return this.#begin(job);
    admitted.then(
      () => {
        if (this.#job === job) this.#begin(job);
      },
      (error: unknown) => {
        if (this.#job === job) this.#done((refused) => refused.reject(error));
      },
    );
  }

  #begin({ task }: Job): void {
    const { op, input, told } = task;
    task.started();
    this.#worker.postMessage({ op, input, told } satisfies TaskMessage, []);
  }

  #heard(message: WorkerMessage): void {
    switch (message.type) {
      case "ready":
        this.#usable = true;
        this.#loaded({ ops: new Set(message.ops), twice: new Set(message.twice) });
        if (this.#job === null) this.#worker.unref();
        else this.#send(this.#job);
        return;
      case "unusable":
        this.#cause = toThrown(message.error);
        this.#failed(this.#cause);
        void this.#worker.terminate();
        return;
      case "log":
        this.#job?.task.log(message.level, message.message, message.data);
        return;
      case "told":
        this.#job?.task.tell?.(message.event);
        return;
      case "output":
        this.#done((job) => job.resolve(message.output));
        return;
      case "failed":
        this.#done((job) => job.reject(toThrown(message.error)));
    }
  }

  #done(settle: (job: Job) => void): void {
    const job = this.#job;
    this.#job = null;
    this.#worker.unref();
    if (job !== null) settle(job);
    this.#owner.free();
  }

  /** X4 */
  #ended(code: number): void {
    const how = this.#cause instanceof Error ? this.#cause.message : `with exit code ${code}`;
    this.#failed(new WorkerCrashed("its modules", how, this.#cause));
    const job = this.#job;
    this.#job = null;
    this.#owner.gone(this);
    job?.reject(new WorkerCrashed(job.task.op, how, this.#cause));
  }
}

/** The source when this file is source, the compiled file beside it when it is compiled. */
function workerUrl(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./worker/main.ts" : "./worker/main.js", import.meta.url);
}
