/** Executors of tasks that run them in this process. */
import type { RanHere, TaskExecution, TaskExecutor, TaskWork } from "../ports/task-executor.ts";

/** One on its way: settles once (E1). */
class Running implements TaskExecution {
  readonly outcome: Promise<RanHere | string>;
  #settled = false;
  readonly #onAbandon: () => void;
  #resolve!: (outcome: RanHere | string) => void;
  #reject!: (error: unknown) => void;

  constructor(onAbandon: () => void) {
    this.#onAbandon = onAbandon;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever abandoned it does not look any more.
    this.outcome.catch(() => undefined);
  }

  get settled(): boolean {
    return this.#settled;
  }

  follow(outcome: Promise<RanHere | string>): void {
    outcome.then(
      (value) => {
        this.#settled = true;
        this.#resolve(value);
      },
      (error: unknown) => this.reject(error),
    );
  }

  reject(error: unknown): void {
    this.#settled = true;
    this.#reject(error);
  }

  abandon(): void {
    if (this.#settled) return;
    this.reject(Object.assign(new Error("the result is no longer wanted"), { name: "AbortError" }));
    this.#onAbandon();
  }
}

/** Runs each task where its run is, at once: what an engine does without an executor. The body is told by its own signal that it is not wanted. */
export function inlineTasks(): TaskExecutor {
  return {
    open: () => undefined,
    close: () => Promise.resolve(),
    run: (work) => {
      const running: Running = new Running(() => undefined);
      running.follow(here(work, running));
      return running;
    },
  };
}

async function here(work: TaskWork, running: Running): Promise<RanHere> {
  const admitted = work.admitted();
  if (admitted !== null) await admitted;
  if (running.settled) throw new Error("the result is no longer wanted");
  work.started();
  return await work.run();
}

interface Waiting {
  readonly work: TaskWork;
  readonly running: Running;
}

/** Hands tasks to `executor` (`inlineTasks()`) one after the other, of all runs of the engines that share it, in the order they come. */
export function oneAtATime(executor: TaskExecutor = inlineTasks()): TaskExecutor {
  return new OneAtATime(executor);
}

class OneAtATime implements TaskExecutor {
  readonly #executor: TaskExecutor;
  #waiting: Waiting[] = [];
  #current: { readonly running: Running; readonly execution: TaskExecution } | null = null;
  #users = 0;

  constructor(executor: TaskExecutor) {
    this.#executor = executor;
  }

  open(): void {
    this.#users++;
    this.#executor.open();
  }

  run(work: TaskWork): TaskExecution {
    const running: Running = new Running(() => this.#abandoned(running));
    this.#waiting.push({ work, running });
    this.#next();
    return running;
  }

  #abandoned(running: Running): void {
    this.#waiting = this.#waiting.filter((one) => one.running !== running);
    if (this.#current?.running === running) this.#current.execution.abandon();
  }

  #next(): void {
    if (this.#current !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const { work, running } = next;
    const execution = this.#executor.run(work);
    this.#current = { running, execution };
    const over = (): void => {
      this.#current = null;
      this.#next();
    };
    execution.outcome.then(over, over);
    running.follow(execution.outcome);
  }

  async close(): Promise<void> {
    this.#users = Math.max(0, this.#users - 1);
    if (this.#users === 0) for (const { running } of this.#waiting) running.abandon();
    await this.#executor.close();
  }
}
