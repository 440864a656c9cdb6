import type { Execution, ExecutorTask } from "../../ports/executor.ts";

/** A task on its way: waits, runs, and settles once (X1). */
export class Job implements Execution {
  readonly task: ExecutorTask;
  readonly output: Promise<string>;
  settled = false;
  readonly #abandoned: (job: Job) => void;
  #resolve!: (output: string) => void;
  #reject!: (thrown: unknown) => void;

  constructor(task: ExecutorTask, abandoned: (job: Job) => void) {
    this.task = task;
    this.#abandoned = abandoned;
    this.output = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever abandoned it does not look any more.
    this.output.catch(() => undefined);
  }

  resolve(output: string): void {
    this.settled = true;
    this.#resolve(output);
  }

  reject(thrown: unknown): void {
    this.settled = true;
    this.#reject(thrown);
  }

  abandon(): void {
    if (this.settled) return;
    const error = new Error("the result is no longer wanted");
    error.name = "AbortError";
    this.reject(error);
    this.#abandoned(this);
  }
}
