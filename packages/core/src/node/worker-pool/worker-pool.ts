import { availableParallelism } from "node:os";
import { pathToFileURL } from "node:url";

import { errorOf, MillraceError } from "../../base/error.ts";
import type { Execution, Executor, ExecutorTask } from "../../ports/executor.ts";
import { Job } from "./job.ts";
import { Thread, type LoadedOps, type ThreadOptions } from "./thread.ts";

export interface WorkerPoolOptions {
  /** The module whose exports are the ops that run here, or several: `new URL("./ops.ts", import.meta.url)`. */
  readonly module: string | URL | readonly (string | URL)[];
  /** Bodies at once. Default: one less than the processors there are, and at least 1. */
  readonly threads?: number;
  /** Heap of one worker in MiB; a body that needs more fails as `WorkerCrashed`. Default: Node's. */
  readonly heapMb?: number;
}

class WorkerPool implements Executor {
  readonly #size: number;
  readonly #options: ThreadOptions;
  readonly #threads: Set<Thread> = new Set();
  #queue: Job[] = [];
  #users = 0;
  /** What the modules export; known once the first worker has loaded them. */
  #loaded: LoadedOps | null = null;

  constructor(size: number, options: ThreadOptions) {
    this.#size = size;
    this.#options = options;
  }

  open(): void {
    this.#users++;
  }

  async prepare(ops: readonly string[]): Promise<void> {
    this.#loaded ??= await this.#load();
    for (const op of ops) this.#check(op, this.#loaded);
  }

  async #load(): Promise<LoadedOps> {
    const [first = this.#start()] = this.#threads;
    try {
      return await first.ready;
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      throw errorOf("WorkerModuleFailed", { modules: this.#modules(), reason: text }, cause);
    }
  }

  #check(op: string, { ops, twice }: LoadedOps): void {
    if (twice.has(op)) throw errorOf("OpNotExported.twice", { modules: this.#modules(), op });
    if (ops.has(op)) return;
    throw errorOf("OpNotExported", { op, modules: this.#modules(), found: [...ops].join(", ") || "no ops" });
  }

  #modules(): string {
    return this.#options.modules.join(", ");
  }

  run(task: ExecutorTask): Execution {
    const job = new Job(task, (abandoned) => this.#abandon(abandoned));
    this.#queue.push(job);
    this.free();
    return job;
  }

  /** X2: a body does not give way, so its worker goes; the next task gets a new one. */
  #abandon(job: Job): void {
    this.#queue = this.#queue.filter((waiting) => waiting !== job);
    for (const thread of this.#threads) if (thread.runs(job)) void thread.end();
    this.free();
  }

  free(): void {
    while (this.#queue.length > 0) {
      const thread =
        [...this.#threads].find(({ idle }) => idle) ?? (this.#threads.size < this.#size ? this.#start() : undefined);
      if (thread === undefined) return;
      thread.take(this.#queue.shift() as Job);
    }
  }

  gone(thread: Thread): void {
    this.#threads.delete(thread);
    this.free();
  }

  #start(): Thread {
    const thread = new Thread(this.#options, this);
    this.#threads.add(thread);
    return thread;
  }

  async close(): Promise<void> {
    this.#users = Math.max(0, this.#users - 1);
    if (this.#users > 0) return;
    const threads = [...this.#threads];
    for (const job of this.#queue) job.abandon();
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/**
 * Worker threads for ops with `bound: "cpu"`: `openEngine({ cpu: workerPool({ module: new URL("./ops.ts", import.meta.url) }) })`.
 * Each worker imports the module and finds the op by its name among the exports, so that no code is ever made from data.
 * Put cpu ops into a module of their own: whatever it imports is loaded once per worker.
 *
 * Engines may share a pool; the last one that closes ends its threads.
 *
 * @throws MillraceError `InvalidOption` for wrong settings.
 */
export function workerPool(options: WorkerPoolOptions): Executor {
  const { module, threads = Math.max(1, availableParallelism() - 1), heapMb } = options;
  if (!(Number.isSafeInteger(threads) && threads >= 1))
    throw invalid(`threads of workerPool is ${String(threads)}`, "it is a whole number, 1 or more");
  if (heapMb !== undefined && !(heapMb > 0))
    throw invalid(`heapMb of workerPool is ${String(heapMb)}`, "it is a number of mebibytes");
  const modules = [module].flat().map(urlOf);
  if (modules.length === 0)
    throw invalid("workerPool has no module", 'write module: new URL("./ops.ts", import.meta.url)');
  return new WorkerPool(threads, { modules, heapMb });
}

function urlOf(module: unknown): string {
  if (module instanceof URL) return module.href;
  if (typeof module !== "string" || module === "")
    throw invalid(
      `module of workerPool is ${JSON.stringify(module)}`,
      'write module: new URL("./ops.ts", import.meta.url)',
    );
  return URL.canParse(module) ? module : pathToFileURL(module).href;
}

function invalid(message: string, hint: string): MillraceError {
  return new MillraceError("InvalidOption", message, { hint });
}
